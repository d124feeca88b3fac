import { BatchStream } from "../batch-stream.ts";
import type {
  ChatChunk,
  Engine,
  EngineCounters,
  EngineInfo,
  FinishReason,
  GenerateRequest,
  SpeculationCounters,
  TokenBatch,
} from "../engine.ts";
import { EngineError } from "../errors.ts";
import type { EngineChannel, RequestListener } from "./events.ts";
import { failure, Generation } from "./generation.ts";
import { certainOutputTokens, nativeSampling } from "./requests.ts";

/** libvllm in process, through the addon. Requests batch inside the library; deltas are stamped on its own threads. */
export class VllmEngine implements Engine {
  readonly info: EngineInfo;
  readonly #channel: EngineChannel;
  readonly #aborts = new Set<() => void>();
  readonly #finished: Record<FinishReason | "unknown", number> = {
    eos: 0,
    "stop-string": 0,
    "stop-token": 0,
    length: 0,
    abort: 0,
    unknown: 0,
  };
  #disposal: Promise<void> | null = null;

  constructor(channel: EngineChannel, info: EngineInfo) {
    this.#channel = channel;
    this.info = info;
  }

  tokenize(): number[] {
    this.#ensureAlive();
    throw unsupported("tokenize: its C ABI has no tokenizer");
  }

  detokenize(): string {
    this.#ensureAlive();
    throw unsupported("detokenize: its C ABI has no tokenizer");
  }

  /** A request is made when the first batch is asked for; errors surface there too. */
  async *generate(request: GenerateRequest, signal?: AbortSignal): AsyncGenerator<TokenBatch, void, void> {
    this.#ensureAlive();
    const sampling = nativeSampling(request, this.info);
    const { prompt } = request;
    const isText = typeof prompt === "string";
    const generation = new Generation({
      promptTokens: isText ? null : prompt.length,
      hasStops: (request.stop?.length ?? 0) > 0,
      certainTokens: certainOutputTokens(request, this.info),
      eosTokenIds: this.info.eosTokenIds,
      queuedAtNs: process.hrtime.bigint(),
      onEnd: (reason) => {
        if (reason !== null) this.#finished[reason]++;
      },
    });
    if (signal?.aborted === true) {
      // the library might answer before it hears that nobody listens
      this.#finished.abort++;
      yield generation.neverStarted(process.hrtime.bigint());
      return;
    }
    const id = this.#open(generation, (id) => {
      if (isText) this.#channel.native.submit(id, prompt, sampling);
      else this.#channel.native.complete(id, Int32Array.from(prompt), sampling);
    });
    const abort = (): void => {
      if (generation.over) return;
      this.#channel.native.cancel(id);
      if (!isText) generation.abandon(process.hrtime.bigint());
    };
    const release = this.#watch(abort, signal);
    try {
      for (;;) {
        const batch = await generation.stream.next();
        yield batch;
        if (batch.finish !== undefined) return;
      }
    } finally {
      release();
    }
  }

  async *chat(
    body: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): AsyncGenerator<ChatChunk, void, void> {
    this.#ensureAlive();
    if (!this.info.capabilities.chat) throw unsupported("chat: this library has no vllm_chat_stream");
    const json = asJson(body);
    const stream = new BatchStream<{ readonly chunk: ChatChunk | null }>();
    let over = false;
    const id = this.#open(
      {
        delta: (text, atNs) => stream.push({ chunk: { json: text, producedAtNs: atNs } }),
        end: (ending) => {
          over = true;
          if (ending.status === 0) stream.push({ chunk: null });
          else stream.fail(failure(ending));
        },
      },
      (id) => this.#channel.native.chat(id, json),
    );
    const abort = (): void => {
      if (!over) this.#channel.native.cancel(id);
    };
    const release = this.#watch(abort, signal);
    try {
      for (;;) {
        const { chunk } = await stream.next();
        if (chunk === null) return;
        yield chunk;
      }
    } finally {
      release();
    }
  }

  counters(): EngineCounters {
    return {
      promptTokens: null,
      outputTokens: null,
      prefixCacheQueries: null,
      prefixCacheHits: null,
      requestsRunning: null,
      requestsWaiting: null,
      requestsFinished: { ...this.#finished },
      speculation: this.#acceptance(),
    };
  }

  resetPrefixCache(): Promise<void> {
    this.#ensureAlive();
    return Promise.reject(unsupported("resetPrefixCache: its C ABI has no such call"));
  }

  dispose(): Promise<void> {
    this.#disposal ??= this.#dispose();
    return this.#disposal;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  async #dispose(): Promise<void> {
    for (const abort of this.#aborts) abort();
    await this.#channel.close();
  }

  /** @throws {EngineError} `ENGINE_INVALID_REQUEST` when the addon cannot hand it to C, a text with NUL for example */
  #open(listener: RequestListener, start: (id: number) => void): number {
    try {
      return this.#channel.open(listener, start);
    } catch (cause) {
      if (!(cause instanceof TypeError)) throw cause;
      throw new EngineError("ENGINE_INVALID_REQUEST", cause.message, { cause });
    }
  }

  /** Has a request aborted by its signal and by the engine's end, and by whoever stops reading: call what it returns. */
  #watch(abort: () => void, signal: AbortSignal | undefined): () => void {
    this.#aborts.add(abort);
    signal?.addEventListener("abort", abort, { once: true });
    if (signal?.aborted === true) abort();
    return () => {
      signal?.removeEventListener("abort", abort);
      this.#aborts.delete(abort);
      abort();
    };
  }

  #acceptance(): SpeculationCounters | null {
    if (this.info.speculation === null || this.#disposal !== null) return null;
    const counts = this.#channel.native.acceptance();
    if (counts === null) return null;
    return {
      verifySteps: counts.draftedRequestSteps,
      draftTokens: counts.draftsProposed,
      acceptedTokens: counts.draftsAccepted,
      acceptedPerPosition: null,
    };
  }

  #ensureAlive(): void {
    if (this.#disposal === null) return;
    throw new EngineError("ENGINE_DISPOSED", "the engine was disposed: load it again to use it");
  }
}

/** @throws {EngineError} `ENGINE_INVALID_REQUEST` */
function asJson(body: unknown): string {
  if (typeof body === "object" && body !== null) {
    try {
      return JSON.stringify(body);
    } catch (cause) {
      throw new EngineError("ENGINE_INVALID_REQUEST", "the chat request cannot be written as JSON", {
        cause,
      });
    }
  }
  throw new EngineError("ENGINE_INVALID_REQUEST", `a chat request is an object, got ${String(body)}`);
}

function unsupported(what: string): EngineError {
  return new EngineError("ENGINE_UNSUPPORTED", `the vLLM engine cannot ${what}`);
}
