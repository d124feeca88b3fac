import type { FastifyReply } from "fastify";

import type { Place } from "../admission/admission.ts";
import { errorBody } from "../http/api-error.ts";
import { normaliseError, shuttingDownError } from "../http/normalise-error.ts";
import { SseWriter } from "../http/sse-writer.ts";
import type { ServerContext } from "../server-context.ts";
import type { WireChoice } from "../wire/choice-writer.ts";
import { endingsOf, tallyOf } from "../wire/finishes.ts";
import { usageSoFar, type WireUsage } from "../wire/usage.ts";
import { generateOutputs, type AnswerOptions, type Envelope } from "./answer-options.ts";

export type StreamedAnswer = AnswerOptions & { readonly stream: NonNullable<AnswerOptions["stream"]> };

/** Builds the JSON of a stream's events. */
class StreamEvents {
  readonly #options: StreamedAnswer;
  readonly #promptTokens: number;
  /** Every chunk begins alike: written once. */
  readonly #head: string;
  #extra: Readonly<Record<string, unknown>>;
  /** Output tokens so far; null when the engine gives text only. */
  outputTokens: number | null = 0;

  constructor(options: StreamedAnswer, { id, ...envelope }: Envelope) {
    this.#options = options;
    this.#promptTokens = options.prompts.reduce((total, prompt) => total + prompt.length, 0);
    this.#head = JSON.stringify({ id, object: options.names.chunkObject, ...envelope }).slice(0, -1);
    this.#extra = options.extra;
  }

  chunk(choice: WireChoice | null): string[] {
    if (choice === null) return [];
    const extra = { ...this.#extra, ...this.#usageOnChunks() };
    this.#extra = {};
    return [this.#event([choice], extra)];
  }

  last(tally: Readonly<Record<string, unknown>>): string[] {
    if (this.#options.stream.includeUsage) return [this.#event([], tally), "[DONE]"];
    // Timings were asked for by a field of their own; the rest comes with usage only.
    const { timings } = tally;
    return timings === undefined ? ["[DONE]"] : [this.#event([], { timings }), "[DONE]"];
  }

  /** OpenAI puts `usage: null` on every chunk of a stream that will end with usage. */
  #usageOnChunks(): { usage?: WireUsage | null } {
    const { includeUsage, continuousUsage } = this.#options.stream;
    if (!includeUsage) return {};
    if (!continuousUsage || this.outputTokens === null) return { usage: null };
    return { usage: usageSoFar(this.#promptTokens, this.outputTokens) };
  }

  #event(choices: readonly WireChoice[], extra: object): string {
    const rest = JSON.stringify(extra);
    const tail = rest === "{}" ? "}" : `,${rest.slice(1)}`;
    return `${this.#head},"choices":${JSON.stringify(choices)}${tail}`;
  }
}

/** Generates and answers as server-sent events. */
export async function answerStream(
  context: ServerContext,
  reply: FastifyReply,
  options: StreamedAnswer,
  places: readonly Place[],
  controller: AbortController,
  envelope: Envelope,
): Promise<FastifyReply> {
  const events = new StreamEvents(options, envelope);
  const writer = new SseWriter(reply.raw, context.limits.clientStallMs);
  let headSent = false;
  const sendHead = () => {
    if (headSent) return;
    headSent = true;
    reply.hijack();
    writer.open(reply.getHeaders());
  };
  // Only the engine can tell whether it can use a format: the status waits for its first batch.
  if (!options.outputs.some(({ request }) => request.format !== undefined)) sendHead();
  const opened = new Set<number>();
  const ends = new Map<number, readonly string[]>();
  /** The opening chunk travels with the first batch, as vLLM's does: before it there is nothing to tell. */
  const opening = (index: number) => {
    if (opened.has(index)) return [];
    opened.add(index);
    return events.chunk(options.outputs[index]?.choices.opening() ?? null);
  };

  try {
    const finishes = await generateOutputs(
      context,
      options.outputs,
      places,
      controller,
      async (batch, index) => {
        const { tokenIds, text, logprobs = [], finish } = batch;
        sendHead();
        const choices = options.outputs[index]?.choices;
        if (choices === undefined) return;
        const open = opening(index);
        if (tokenIds === null) events.outputTokens = null;
        else if (events.outputTokens !== null) events.outputTokens += tokenIds.length;
        const piece = events.chunk(choices.piece({ text, tokenIds: tokenIds ?? [], logprobs }));
        const ending = finish === undefined ? null : endingsOf([finish])?.[0];
        if (ending == null) {
          await writer.send([...open, ...piece]);
          return;
        }
        const end = [...events.chunk(choices.rest()), ...events.chunk(choices.closing(ending))];
        // Who has read an end and then scrapes sees its request finished: the engine settles its counters after this.
        ends.set(index, [...open, ...piece, ...end]);
      },
    );
    if (endingsOf(finishes) === null) throw shuttingDownError();
    writer.end([
      ...[...ends.values()].flat(),
      ...events.last(tallyOf(finishes, options, context.engine.info)),
    ]);
  } catch (error) {
    if (!headSent) throw error;
    // The head is out, so the status cannot tell any more: the stream does, and ends without `[DONE]`.
    const apiError = normaliseError(error);
    if (apiError.cause instanceof Error) context.reportError(apiError.cause);
    writer.end([JSON.stringify(errorBody(apiError))]);
  }
  return reply;
}
