import type { Ending } from "@onpar/vllm-addon";
import { BatchStream } from "../batch-stream.ts";
import type { FinishReason, GenerateFinish, TokenBatch } from "../engine.ts";
import { EngineError } from "../errors.ts";
import type { RequestListener } from "./events.ts";

/** What of a request is needed to word its end. */
export interface GenerationSetup {
  /** A prompt of token ids: its end brings the output, the counts and the reason. */
  readonly promptTokens: number | null;
  readonly hasStops: boolean;
  /** Output tokens of a request that only its cap can end; null when it may end otherwise. */
  readonly certainTokens: number | null;
  readonly eosTokenIds: readonly number[] | null;
  readonly queuedAtNs: bigint;
  /** Told how it ended, whoever still reads it; null is a failure. */
  readonly onEnd: (reason: FinishReason | "unknown" | null) => void;
}

/** One generation: the library's events as batches. */
export class Generation implements RequestListener {
  readonly stream = new BatchStream();
  readonly #setup: GenerationSetup;
  #firstTokenAtNs: bigint | null = null;
  #aborted = false;
  #over = false;

  constructor(setup: GenerationSetup) {
    this.#setup = setup;
  }

  get over(): boolean {
    return this.#over;
  }

  delta(text: string, atNs: bigint): void {
    this.#firstTokenAtNs ??= atNs;
    this.stream.push({ tokenIds: null, text, producedAtNs: atNs });
  }

  /** Ends a stream whose work the library cannot stop; the library's own end comes later and tells nobody. */
  abandon(atNs: bigint): void {
    if (this.#aborted || this.#over) return;
    this.#aborted = true;
    this.stream.push(this.#last([], "", atNs, this.#finish("abort", null, atNs)));
  }

  /** The one batch of a request that was aborted before it was made. */
  neverStarted(atNs: bigint): TokenBatch {
    return this.#last([], "", atNs, this.#finish("abort", null, atNs));
  }

  end(ending: Ending): void {
    this.#over = true;
    const { status, atNs } = ending;
    if (status !== 0) {
      this.#setup.onEnd(null);
      if (!this.#aborted) this.stream.fail(failure(ending));
      return;
    }
    const reason = this.#reason(ending);
    this.#setup.onEnd(reason ?? "unknown");
    if (this.#aborted) return;
    const ids = [...ending.tokens];
    this.stream.push(this.#last(ids, ending.text, atNs, this.#finish(reason, ending, atNs)));
  }

  #last(ids: readonly number[], text: string, atNs: bigint, finish: GenerateFinish): TokenBatch {
    const tokenIds = this.#setup.promptTokens === null ? null : ids;
    return { tokenIds, text, producedAtNs: atNs, finish };
  }

  #reason({ cancelled, finishReason, tokens }: Ending): FinishReason | null {
    if (cancelled || finishReason === "abort") return "abort";
    if (finishReason === "length") return "length";
    if (finishReason === null && this.#setup.certainTokens !== null) return "length";
    if (finishReason !== "stop") return null;
    const { eosTokenIds, hasStops } = this.#setup;
    const last = tokens.at(-1);
    if (eosTokenIds !== null && last !== undefined && eosTokenIds.includes(last)) return "eos";
    // "stop" without a stop string can only be EOS; with one, and without knowing EOS, it cannot be told.
    if (!hasStops) return "eos";
    return eosTokenIds === null ? null : "stop-string";
  }

  #finish(reason: FinishReason | null, ending: Ending | null, endedAtNs: bigint): GenerateFinish {
    const { promptTokens, eosTokenIds, queuedAtNs, certainTokens } = this.#setup;
    const told = promptTokens !== null && ending !== null;
    const firstEos =
      told && eosTokenIds !== null ? ending.tokens.findIndex((id) => eosTokenIds.includes(id)) : -1;
    const last = ending?.tokens.at(-1);
    return {
      reason,
      matched: reason === "eos" && last !== undefined ? last : null,
      promptTokens: told ? (ending.promptTokens ?? promptTokens) : promptTokens,
      cachedPromptTokens: null,
      outputTokens: told
        ? (ending.completionTokens ?? ending.tokens.length)
        : reason === "length"
          ? certainTokens
          : null,
      firstEosIndex: firstEos < 0 ? null : firstEos,
      speculation: null,
      queuedAtNs,
      startedAtNs: null,
      firstTokenAtNs: this.#firstTokenAtNs,
      endedAtNs,
    };
  }
}

const STATUS_INVALID_ARGUMENT = 1;

/** What the library said of a failure. */
export function failure({ status, error }: Pick<Ending, "status" | "error">): EngineError {
  const message = error ?? `the library failed with status ${status} and says no more`;
  return status === STATUS_INVALID_ARGUMENT
    ? new EngineError("ENGINE_INVALID_REQUEST", `libvllm refused the request: ${message}`)
    : new EngineError("ENGINE_FAILED", `libvllm failed: ${message}`);
}
