import type { FastifyInstance } from "fastify";
import { expect } from "vitest";

export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details?: { readonly cached_tokens: number };
}

export interface Speculation {
  readonly mean_acceptance_length: number | null;
  readonly draft_acceptance_rate: number | null;
  readonly acceptance_histogram: readonly number[];
  readonly acceptance_per_position: readonly number[] | null;
  readonly num_spec_steps: number;
  readonly num_accepted_draft_tokens: number;
  readonly num_draft_tokens: number;
  readonly num_spec_tokens: number;
}

interface Text {
  readonly content?: string;
  readonly reasoning?: string;
  readonly reasoning_content?: string;
  readonly role?: string;
}

export interface Choice {
  readonly index: number;
  readonly delta?: Text;
  readonly message?: Text;
  readonly text?: string;
  readonly finish_reason: string | null;
  readonly stop_reason?: string | number | null;
}

export interface Answer {
  readonly id: string;
  readonly object: string;
  readonly model: string;
  readonly choices: readonly Choice[];
  readonly usage?: Usage | null;
  readonly metrics?: { readonly speculative_decoding: Speculation };
  readonly error?: { readonly message: string; readonly code: string };
}

export interface ErrorAnswer {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string;
  };
}

/** Posts JSON and expects the answer to have this status. */
export async function post<T>(
  app: FastifyInstance,
  url: string,
  payload: object,
  status = 200,
): Promise<T & { readonly headers: Readonly<Record<string, unknown>> }> {
  const response = await app.inject({ method: "POST", url, payload });
  expect(response.statusCode, response.body).toBe(status);
  return { ...response.json<T>(), headers: response.headers };
}

/** Events of a stream; the last one must be `[DONE]` unless an error ended it. */
export function readEvents(body: string): { readonly chunks: readonly Answer[]; readonly done: boolean } {
  const events = body.split("\n\n").filter((event) => event !== "");
  const data = events.map((event) => {
    expect(event).toMatch(/^data: /);
    return event.slice("data: ".length);
  });
  const done = data.at(-1) === "[DONE]";
  return { chunks: data.slice(0, done ? -1 : undefined).map((text) => JSON.parse(text) as Answer), done };
}

export async function postStream(
  app: FastifyInstance,
  url: string,
  payload: object,
): Promise<readonly Answer[]> {
  const response = await app.inject({ method: "POST", url, payload: { ...payload, stream: true } });
  expect(response.statusCode, response.body).toBe(200);
  expect(response.headers["content-type"]).toBe("text/event-stream; charset=utf-8");
  const { chunks, done } = readEvents(response.body);
  expect(done).toBe(true);
  return chunks;
}

/** The text that a stream adds up to. */
export function streamedText(chunks: readonly Answer[]): {
  readonly content: string;
  readonly reasoning: string;
  readonly text: string;
} {
  const all = { content: "", reasoning: "", text: "" };
  for (const { choices } of chunks) {
    for (const { delta, text } of choices) {
      all.content += delta?.content ?? "";
      all.reasoning += delta?.reasoning_content ?? "";
      all.text += text ?? "";
    }
  }
  return all;
}

/** The choice that ended a stream. */
export function endOf(chunks: readonly Answer[]): Choice {
  const ends = chunks.flatMap(({ choices }) => choices).filter(({ finish_reason }) => finish_reason !== null);
  expect(ends).toHaveLength(1);
  return ends[0] as Choice;
}
