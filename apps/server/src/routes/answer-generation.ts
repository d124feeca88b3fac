import type { GenerateFinish, GenerateRequest } from "@onpar/engine-binding";
import type { FastifyReply } from "fastify";

import { runGeneration } from "../generation.ts";
import { errorBody } from "../http/api-error.ts";
import { normaliseError, shuttingDownError } from "../http/normalise-error.ts";
import { SseWriter } from "../http/sse-writer.ts";
import type { ServerContext } from "../server-context.ts";
import type { ChoiceWriter, WireChoice } from "../wire/choice-writer.ts";
import { requestMetrics, usageOf, usageSoFar, wireFinish, type WireUsage } from "../wire/usage.ts";

export interface AnswerOptions {
  readonly request: GenerateRequest;
  readonly choices: ChoiceWriter;
  /** Null: the whole answer in one body. */
  readonly stream: { readonly includeUsage: boolean; readonly continuousUsage: boolean } | null;
}

/** Aborts when the client goes away before its answer is complete, or when the server stops. */
function abortWithClient(reply: FastifyReply, stopSignal: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort();
  if (reply.raw.destroyed || stopSignal.aborted) {
    abort();
    return controller.signal;
  }
  // Taken off with the answer: the stop signal outlives every request, and so would whatever hangs on it.
  stopSignal.addEventListener("abort", abort, { once: true });
  reply.raw.once("close", () => {
    stopSignal.removeEventListener("abort", abort);
    if (!reply.raw.writableFinished) abort();
  });
  return controller.signal;
}

/** Generates and answers, in one body or as a stream. */
export async function answerGeneration(
  context: ServerContext,
  reply: FastifyReply,
  options: AnswerOptions,
): Promise<unknown> {
  const signal = abortWithClient(reply, context.stopSignal);
  const envelope = {
    id: options.choices.idPrefix + context.randomId(),
    created: Math.floor(context.now().getTime() / 1000),
    model: context.servedModelName,
  };
  return options.stream === null
    ? await answerWhole(context, reply, options, signal, envelope)
    : await answerStream(context, reply, { ...options, stream: options.stream }, signal, envelope);
}

type Envelope = Readonly<Record<"id" | "model", string> & Record<"created", number>>;

async function answerWhole(
  { engine, metrics }: ServerContext,
  reply: FastifyReply,
  { request, choices }: AnswerOptions,
  signal: AbortSignal,
  { id, ...envelope }: Envelope,
): Promise<unknown> {
  let text = "";
  const finish = await runGeneration(request, {
    engine,
    latency: metrics.latency,
    signal,
    onBatch: (batch) => {
      text += batch.text;
    },
  });
  const ending = wireFinish(finish);
  if (ending === null) {
    // Either nobody is left to answer, or the server cut the output off: half an answer is none.
    if (reply.raw.destroyed) return reply.hijack();
    throw shuttingDownError();
  }
  const speculation = requestMetrics(finish, engine.info);
  return {
    id,
    object: choices.bodyObject,
    ...envelope,
    choices: [choices.whole(text, ending)],
    usage: usageOf(finish),
    ...(speculation === null ? {} : { metrics: speculation }),
  };
}

type StreamOptions = AnswerOptions & { readonly stream: NonNullable<AnswerOptions["stream"]> };

/** Builds the JSON of a stream's events. */
class StreamEvents {
  readonly #options: StreamOptions;
  readonly #envelope: object;

  constructor(options: StreamOptions, { id, ...envelope }: Envelope) {
    this.#options = options;
    this.#envelope = { id, object: options.choices.chunkObject, ...envelope };
  }

  chunk(choice: WireChoice | null, outputTokens: number | null): string[] {
    return choice === null ? [] : [this.#event([choice], this.#usageOnChunks(outputTokens))];
  }

  last(finish: GenerateFinish, metrics: object | null): string[] {
    if (!this.#options.stream.includeUsage) return ["[DONE]"];
    const extra = { usage: usageOf(finish), ...(metrics === null ? {} : { metrics }) };
    return [this.#event([], extra), "[DONE]"];
  }

  /** OpenAI puts `usage: null` on every chunk of a stream that will end with usage. */
  #usageOnChunks(outputTokens: number | null): { usage?: WireUsage | null } {
    const { includeUsage, continuousUsage } = this.#options.stream;
    if (!includeUsage) return {};
    if (!continuousUsage || outputTokens === null) return { usage: null };
    return { usage: usageSoFar(this.#options.request.prompt.length, outputTokens) };
  }

  #event(choices: readonly WireChoice[], extra: object): string {
    return JSON.stringify({ ...this.#envelope, choices, ...extra });
  }
}

async function answerStream(
  { engine, metrics, limits, reportError }: ServerContext,
  reply: FastifyReply,
  options: StreamOptions,
  signal: AbortSignal,
  envelope: Envelope,
): Promise<FastifyReply> {
  const { choices, request } = options;
  const events = new StreamEvents(options, envelope);
  reply.hijack();
  const writer = new SseWriter(reply.raw, limits.clientStallMs);
  writer.open(reply.getHeaders());
  let outputTokens: number | null = 0;
  let opened = false;
  /** The opening chunk travels with the first batch, as vLLM's does: before it there is nothing to tell. */
  const opening = () => {
    const chunk = opened ? [] : events.chunk(choices.opening(), 0);
    opened = true;
    return chunk;
  };

  try {
    const finish = await runGeneration(request, {
      engine,
      latency: metrics.latency,
      signal,
      onBatch: (batch) => {
        if (batch.tokenIds === null) outputTokens = null;
        else if (outputTokens !== null) outputTokens += batch.tokenIds.length;
        const choice = batch.text === "" ? null : choices.text(batch.text);
        return writer.send([...opening(), ...events.chunk(choice, outputTokens)]);
      },
    });
    const ending = wireFinish(finish);
    if (ending === null) throw shuttingDownError();
    writer.end([
      ...opening(),
      ...events.chunk(choices.rest(), outputTokens),
      ...events.chunk(choices.closing(ending), finish.outputTokens),
      ...events.last(finish, requestMetrics(finish, engine.info)),
    ]);
  } catch (error) {
    // The head is out, so the status cannot tell any more: the stream does, and ends without `[DONE]`.
    const apiError = normaliseError(error);
    if (apiError.cause instanceof Error) reportError(apiError.cause);
    writer.end([JSON.stringify(errorBody(apiError))]);
  }
  return reply;
}
