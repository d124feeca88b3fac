import { BatchStream } from "../../batch-stream.ts";
import type {
  DetokenizeOptions,
  Engine,
  EngineCounters,
  EngineInfo,
  GenerateRequest,
  TokenBatch,
  TokenizeOptions,
} from "../../engine.ts";
import { EngineError } from "../../errors.ts";
import { checkRequest, checkTokenIds, type RequestLimits } from "../../request.ts";
import { kindOf } from "../../request-kinds.ts";
import type { CounterBoard } from "./counter-board.ts";
import type { EngineThread } from "./engine-thread.ts";
import type { Delivery } from "./messages.ts";
import { fromThread } from "./thrown.ts";

/** The tokenizer, on the thread that uses the engine. */
export interface Tokenizer {
  readonly tokenize: (text: string, parseSpecial: boolean) => number[];
  readonly detokenize: (tokens: readonly number[], renderSpecial: boolean) => string;
  readonly free: () => Promise<void>;
}

/** An engine in a thread of its own, as the thread that uses it sees it. */
export class HostedEngine implements Engine {
  readonly info: EngineInfo;
  readonly #limits: RequestLimits;
  readonly #thread: EngineThread;
  readonly #board: CounterBoard;
  readonly #tokenizer: Tokenizer;
  readonly #appendedEosTokenId: number | null;
  readonly #streams = new Map<number, BatchStream>();
  readonly #answers = new Map<number, { resolve: () => void; reject: (error: Error) => void }>();
  #lastId = 0;
  #disposal: Promise<void> | null = null;
  #broken: EngineError | null = null;

  constructor(
    thread: EngineThread,
    parts: {
      readonly info: EngineInfo;
      readonly board: CounterBoard;
      readonly tokenizer: Tokenizer;
      readonly appendedEosTokenId: number | null;
    },
  ) {
    this.info = parts.info;
    const { contextSize, vocabularySize, capabilities } = parts.info;
    this.#limits = {
      contextSize: contextSize ?? Infinity,
      vocabularySize: vocabularySize ?? 0,
      capabilities,
      tokenize: (text, options) => this.tokenize(text, options),
    };
    this.#thread = thread;
    this.#board = parts.board;
    this.#tokenizer = parts.tokenizer;
    this.#appendedEosTokenId = parts.appendedEosTokenId;
    thread.listen({
      onDeliveries: (deliveries) => deliveries.forEach((delivery) => this.#deliver(delivery)),
      onGone: (reason) => this.#break(reason),
    });
  }

  tokenize(text: string, { addSpecial = false, parseSpecial = true }: TokenizeOptions = {}): number[] {
    this.#ensureAlive();
    if (typeof text !== "string") {
      throw new EngineError("ENGINE_INVALID_REQUEST", `text must be a text, got ${kindOf(text)}`);
    }
    const tokens = this.#tokenizer.tokenize(text, parseSpecial);
    if (!addSpecial) return tokens;
    const { addsBos, bosTokenId } = this.info;
    if (addsBos === true && bosTokenId !== null) tokens.unshift(bosTokenId);
    if (this.#appendedEosTokenId !== null) tokens.push(this.#appendedEosTokenId);
    return tokens;
  }

  detokenize(tokenIds: readonly number[], { renderSpecial = false }: DetokenizeOptions = {}): string {
    this.#ensureAlive();
    checkTokenIds("tokenIds", tokenIds, this.#limits.vocabularySize);
    return this.#tokenizer.detokenize(tokenIds, renderSpecial);
  }

  /** A request takes its place in the queue when the first batch is asked for; errors surface there too. */
  async *generate(request: GenerateRequest, signal?: AbortSignal): AsyncGenerator<TokenBatch, void, void> {
    this.#ensureAlive();
    const checked = checkRequest(request, this.#limits);
    const id = ++this.#lastId;
    const stream = new BatchStream();
    const abort = (): void => this.#thread.post({ type: "abort", id });
    let finished = false;
    this.#track(this.#streams, id, stream);
    try {
      this.#thread.post({ type: "generate", id, request: checked, aborted: signal?.aborted === true });
      signal?.addEventListener("abort", abort, { once: true });
      while (!finished) {
        const batch = await stream.next();
        finished = batch.finish !== undefined;
        yield batch;
      }
    } finally {
      signal?.removeEventListener("abort", abort);
      this.#untrack(this.#streams, id);
      // the reader left before the end
      if (!finished) abort();
    }
  }

  counters(): EngineCounters {
    return this.#board.read();
  }

  async resetPrefixCache(): Promise<void> {
    this.#ensureAlive();
    const id = ++this.#lastId;
    await new Promise<void>((resolve, reject) => {
      this.#track(this.#answers, id, { resolve, reject });
      this.#thread.post({ type: "reset-prefix-cache", id });
    });
  }

  dispose(): Promise<void> {
    this.#disposal ??= this.#dispose();
    return this.#disposal;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  async #dispose(): Promise<void> {
    this.#thread.hold(true);
    await this.#thread.end();
    // nobody would answer them any more
    this.#failAll(new EngineError("ENGINE_DISPOSED", "the engine was disposed before it answered"));
    await this.#tokenizer.free();
  }

  #deliver(delivery: Delivery): void {
    const { id } = delivery;
    const stream = this.#streams.get(id);
    const answer = this.#answers.get(id);
    if (answer !== undefined) this.#untrack(this.#answers, id);
    if ("batch" in delivery) stream?.push(delivery.batch);
    else if ("done" in delivery) answer?.resolve();
    else {
      const error = fromThread(delivery.error);
      stream?.fail(error);
      answer?.reject(error);
    }
  }

  /** The process stays alive while something is awaited from the engine's thread, and no longer. */
  #track<T>(map: Map<number, T>, id: number, value: T): void {
    map.set(id, value);
    this.#thread.hold(true);
  }

  #untrack<T>(map: Map<number, T>, id: number): void {
    map.delete(id);
    if (this.#streams.size + this.#answers.size === 0 && this.#disposal === null) this.#thread.hold(false);
  }

  #ensureAlive(): void {
    if (this.#disposal !== null) {
      throw new EngineError("ENGINE_DISPOSED", "the engine was disposed: load it again to use it");
    }
    if (this.#broken !== null) throw this.#broken;
  }

  /** The thread is gone: what waits or runs fails, and so does every later request. */
  #break(reason: string): void {
    this.#broken = new EngineError(
      "ENGINE_FAILED",
      `the engine's thread ended: ${reason} (load the engine again)`,
    );
    this.#failAll(this.#broken);
  }

  /** Fails what still waits for the thread; what is ready to be read stays. */
  #failAll(error: EngineError): void {
    for (const stream of this.#streams.values()) stream.fail(error);
    for (const { reject } of this.#answers.values()) reject(error);
    this.#answers.clear();
  }
}
