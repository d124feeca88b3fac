import type {
  Engine,
  EngineCounters,
  EngineInfo,
  FinishReason,
  GenerateFinish,
  GenerateRequest,
  TokenBatch,
} from "@onpar/engine-binding";

import { scriptedInfo } from "./scripted-info.mjs";

/** The step that waits until the request is aborted. */
export const waitForAbort = Symbol("wait for the abort");

/** One step of a script: text to emit, an error to throw, or the wait. */
export type ScriptStep = string | Error | typeof waitForAbort;

/**
 * An engine that does what a test tells it, for faults that a real one cannot be brought to: it throws in the
 * middle, never ends, or emits more than a client takes. One character is one token.
 */
export class ScriptedEngine implements Engine {
  readonly info: EngineInfo = scriptedInfo;
  readonly #steps: Iterable<ScriptStep>;
  readonly finished: Record<FinishReason | "unknown", number> = {
    eos: 0,
    "stop-string": 0,
    "stop-token": 0,
    length: 0,
    abort: 0,
    unknown: 0,
  };
  running = 0;

  constructor(steps: Iterable<ScriptStep>) {
    this.#steps = steps;
  }

  tokenize(text: string): number[] {
    return Array.from(text, (character) => character.codePointAt(0) ?? 0);
  }

  detokenize(tokenIds: readonly number[]): string {
    return String.fromCodePoint(...tokenIds);
  }

  async *generate(request: GenerateRequest, signal?: AbortSignal): AsyncIterable<TokenBatch> {
    const queuedAtNs = process.hrtime.bigint();
    let outputTokens = 0;
    this.running += 1;
    try {
      for (const step of this.#steps) {
        if (step instanceof Error) throw step;
        if (step === waitForAbort) {
          await aborted(signal);
          break;
        }
        // A real engine leaves the event loop between its steps.
        await new Promise((resolve) => setImmediate(resolve));
        if (signal?.aborted) break;
        outputTokens += step.length;
        yield { tokenIds: this.tokenize(step), text: step, producedAtNs: process.hrtime.bigint() };
      }
      const reason: FinishReason = signal?.aborted ? "abort" : "eos";
      this.finished[reason] += 1;
      this.running -= 1;
      yield this.#last(request, reason, outputTokens, queuedAtNs);
    } catch (error) {
      this.running -= 1;
      throw error;
    }
  }

  #last(
    request: GenerateRequest,
    reason: FinishReason,
    outputTokens: number,
    queuedAtNs: bigint,
  ): TokenBatch {
    const now = process.hrtime.bigint();
    const finish: GenerateFinish = {
      reason,
      matched: null,
      promptTokens: request.prompt.length,
      cachedPromptTokens: 0,
      outputTokens,
      firstEosIndex: null,
      speculation: null,
      queuedAtNs,
      startedAtNs: queuedAtNs,
      firstTokenAtNs: outputTokens === 0 ? null : now,
      endedAtNs: now,
    };
    return { tokenIds: [], text: "", producedAtNs: now, finish };
  }

  counters(): EngineCounters {
    return {
      promptTokens: 0,
      outputTokens: 0,
      prefixCacheQueries: 0,
      prefixCacheHits: 0,
      requestsRunning: this.running,
      requestsWaiting: 0,
      requestsFinished: this.finished,
      speculation: null,
    };
  }

  async resetPrefixCache(): Promise<void> {}

  async dispose(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {}
}

function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) resolve();
    else signal?.addEventListener("abort", () => resolve(), { once: true });
  });
}
