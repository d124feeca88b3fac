import type { FinishReason } from "../../engine.ts";
import type { LlamaCounters } from "../llama-counters.ts";
import { STEP_TOKEN_COUNTS } from "../step-tokens.ts";

const REASONS = [
  "eos",
  "stop-string",
  "stop-token",
  "length",
  "abort",
] as const satisfies readonly FinishReason[];
const PLAIN = [
  "promptTokens",
  "outputTokens",
  "prefixCacheQueries",
  "prefixCacheHits",
  "requestsRunning",
  "requestsWaiting",
] as const satisfies readonly (keyof LlamaCounters)[];
const SPECULATION_FIELDS = 3;

/**
 * The engine's counters in memory that two threads share, so that they can be read at any time without asking. The
 * writer raises a version before and after it writes; a reader that sees it odd or changed reads again.
 */
export class CounterBoard {
  readonly buffer: SharedArrayBuffer;
  readonly #version: Int32Array;
  readonly #values: Float64Array;
  /** K, or null without speculation. */
  readonly #budget: number | null;

  constructor(draftBudget: number | null, buffer?: SharedArrayBuffer) {
    const fields =
      PLAIN.length +
      REASONS.length +
      STEP_TOKEN_COUNTS +
      (draftBudget === null ? 0 : SPECULATION_FIELDS + draftBudget);
    this.buffer = buffer ?? new SharedArrayBuffer(8 + fields * 8);
    this.#version = new Int32Array(this.buffer, 0, 2);
    this.#values = new Float64Array(this.buffer, 8, fields);
    this.#budget = draftBudget;
  }

  /** Only ever called on one thread. */
  write(counters: LlamaCounters): void {
    Atomics.add(this.#version, 0, 1);
    let at = 0;
    const put = (value: number): void => {
      this.#values[at++] = value;
    };
    for (const name of PLAIN) put(counters[name]);
    for (const reason of REASONS) put(counters.requestsFinished[reason]);
    for (const count of counters.stepTokens) put(count);
    if (this.#budget !== null && counters.speculation !== null) {
      const { verifySteps, draftTokens, acceptedTokens, acceptedPerPosition } = counters.speculation;
      for (const value of [verifySteps, draftTokens, acceptedTokens]) put(value);
      for (let position = 0; position < this.#budget; position++) put(acceptedPerPosition[position] ?? 0);
    }
    Atomics.add(this.#version, 0, 1);
  }

  read(): LlamaCounters {
    for (;;) {
      const version = Atomics.load(this.#version, 0);
      const values = [...this.#values];
      // a writer needs microseconds: another look is cheaper than a lock
      if (version % 2 === 0 && Atomics.load(this.#version, 0) === version) return this.#counters(values);
    }
  }

  #counters(values: readonly number[]): LlamaCounters {
    let at = 0;
    const take = (): number => values[at++] ?? 0;
    // in the order of PLAIN, REASONS, the steps and the speculation fields
    const plain = {
      promptTokens: take(),
      outputTokens: take(),
      prefixCacheQueries: take(),
      prefixCacheHits: take(),
      requestsRunning: take(),
      requestsWaiting: take(),
    };
    const requestsFinished = {
      eos: take(),
      "stop-string": take(),
      "stop-token": take(),
      length: take(),
      abort: take(),
      unknown: 0,
    };
    const stepTokens = Array.from({ length: STEP_TOKEN_COUNTS }, take);
    if (this.#budget === null) return { ...plain, requestsFinished, stepTokens, speculation: null };
    const [verifySteps, draftTokens, acceptedTokens] = [take(), take(), take()];
    const acceptedPerPosition = Array.from({ length: this.#budget }, take);
    return {
      ...plain,
      requestsFinished,
      stepTokens,
      speculation: { verifySteps, draftTokens, acceptedTokens, acceptedPerPosition },
    };
  }
}
