import type { GenerateFinish } from "@onpar/engine-binding";

import type { NamedEvent } from "../http/sse-writer.ts";
import type { ResponsesRequest } from "../requests/responses-request.ts";

export interface ResponseEnvelope {
  readonly id: string;
  readonly itemId: string;
  readonly createdAt: number;
  readonly model: string;
  readonly request: ResponsesRequest;
}

type Json = Readonly<Record<string, unknown>>;

function textPart(text: string): Json {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}

/** The one message of a response. */
export function outputItem({ itemId }: ResponseEnvelope, text: string): Json {
  return { id: itemId, type: "message", role: "assistant", status: "completed", content: [textPart(text)] };
}

/** OpenAI's `response`; without a finish it is under way. */
export function responseObject(
  { id, createdAt, model, request }: ResponseEnvelope,
  finish: GenerateFinish | null,
  output: readonly Json[],
): Json {
  const cut = finish?.reason === "length";
  return {
    id,
    object: "response",
    created_at: createdAt,
    status: finish === null ? "in_progress" : cut ? "incomplete" : "completed",
    model,
    output,
    error: null,
    incomplete_details: cut ? { reason: "max_output_tokens" } : null,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    metadata: request.metadata ?? {},
    temperature: request.temperature ?? 1,
    top_p: request.top_p ?? 1,
    text: { format: request.text?.format ?? { type: "text" } },
    tools: [],
    tool_choice: "auto",
    parallel_tool_calls: false,
    previous_response_id: null,
    store: false,
    usage: finish === null ? null : usageOf(finish),
  };
}

function usageOf({ promptTokens, outputTokens, cachedPromptTokens }: GenerateFinish): Json | null {
  if (promptTokens === null || outputTokens === null) return null;
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: cachedPromptTokens ?? 0 },
    output_tokens: outputTokens,
    total_tokens: promptTokens + outputTokens,
  };
}

/** The events of a streamed response, numbered as they are made. */
export class ResponseEvents {
  readonly #envelope: ResponseEnvelope;
  #number = 0;

  constructor(envelope: ResponseEnvelope) {
    this.#envelope = envelope;
  }

  event(type: string, fields: Json): NamedEvent {
    const data = JSON.stringify({ type, sequence_number: this.#number, ...fields });
    this.#number += 1;
    return { name: type, data };
  }

  opening(): NamedEvent[] {
    const response = responseObject(this.#envelope, null, []);
    const item = { ...outputItem(this.#envelope, ""), status: "in_progress", content: [] };
    return [
      this.event("response.created", { response }),
      this.event("response.in_progress", { response }),
      this.event("response.output_item.added", { output_index: 0, item }),
      this.#part("response.content_part.added", { part: textPart("") }),
    ];
  }

  delta(delta: string): NamedEvent[] {
    return delta === "" ? [] : [this.#part("response.output_text.delta", { delta, logprobs: [] })];
  }

  closing(text: string, finish: GenerateFinish): NamedEvent[] {
    const item = outputItem(this.#envelope, text);
    const type = finish.reason === "length" ? "response.incomplete" : "response.completed";
    return [
      this.#part("response.output_text.done", { text, logprobs: [] }),
      this.#part("response.content_part.done", { part: textPart(text) }),
      this.event("response.output_item.done", { output_index: 0, item }),
      this.event(type, { response: responseObject(this.#envelope, finish, [item]) }),
    ];
  }

  #part(type: string, fields: Json): NamedEvent {
    return this.event(type, { item_id: this.#envelope.itemId, output_index: 0, content_index: 0, ...fields });
  }
}
