import {
  decodeRateCtxsweep,
  decodeRateVllm,
  streamTimes,
  tpotVllm,
  type RequestRecord,
} from "@onpar/sweep-runner";

import type { RequestValues } from "../result/from-run.ts";
import { MOST_VALUES } from "../result/schema.ts";
import { LogHistogram, type HistogramBin } from "./log-histogram.ts";
import { addOutput } from "./output-walk.ts";
import { Timeline, type TimelineBin } from "./timeline.ts";

/** Acceptance of the requests of one prompt. */
export interface PromptAcceptance {
  readonly promptId: string;
  readonly requests: number;
  readonly draftTokens: number;
  readonly acceptedTokens: number;
  /** A / D, 0 to 1. */
  readonly rate: number;
}

/** What charts need of a run's records, in bounded size. */
export interface RunDigest {
  readonly requests: number;
  readonly ttftMs: readonly HistogramBin[];
  readonly tpotMs: readonly HistogramBin[];
  readonly e2elMs: readonly HistogramBin[];
  readonly chunkGapMs: readonly HistogramBin[];
  readonly outputTokens: readonly HistogramBin[];
  readonly timeline: readonly TimelineBin[];
  /** By prompt, in order of their rate; empty where answers do not tell their acceptance. */
  readonly acceptance: readonly PromptAcceptance[];
  /** Values of single requests; null where there are too many to keep. */
  readonly values: RequestValues | null;
}

const NS_PER_S = 1e9;
const NS_PER_MS = 1e6;
/** Prompts whose acceptance is kept apart. */
const MOST_PROMPTS = 10_000;

type ValueName = "ttftMs" | "tpotMs" | "e2elMs" | "decodeCtxsweep" | "decodeVllm";

/** Takes the records of a run one by one, in any number. Warm-up requests are left out. */
export class RunDigester {
  readonly #histograms = {
    ttftMs: new LogHistogram(),
    tpotMs: new LogHistogram(),
    e2elMs: new LogHistogram(),
    chunkGapMs: new LogHistogram(),
    outputTokens: new LogHistogram(),
  };
  readonly #timeline = new Timeline();
  readonly #prompts = new Map<string, { requests: number; draftTokens: number; acceptedTokens: number }>();
  readonly #promptIds: string[] = [];
  readonly #repetitions: number[] = [];
  readonly #values: Readonly<Record<ValueName, (number | null)[]>> = {
    ttftMs: [],
    tpotMs: [],
    e2elMs: [],
    decodeCtxsweep: [],
    decodeVllm: [],
  };
  readonly #addGap = (gapMs: number): void => this.#histograms.chunkGapMs.add(gapMs);
  #requests = 0;

  add(record: RequestRecord): void {
    if (record.phase === "warmup") return;
    this.#requests++;
    this.#addTimes(record);
    if (record.state !== "ok") return;
    const { ttft, e2el } = timesOf(record);
    const values = { ttftMs: ttft, tpotMs: tpotVllm(ttft, e2el, record.outputTokens), e2elMs: e2el };
    this.#histograms.ttftMs.add(values.ttftMs);
    this.#histograms.tpotMs.add(values.tpotMs);
    this.#histograms.e2elMs.add(values.e2elMs);
    this.#histograms.outputTokens.add(record.outputTokens);
    addOutput(record, this.#timeline, this.#addGap);
    this.#addAcceptance(record);
    if (this.#promptIds.length > MOST_VALUES) return;
    this.#promptIds.push(record.promptId);
    this.#repetitions.push(record.repetition);
    this.#values.ttftMs.push(values.ttftMs);
    this.#values.tpotMs.push(values.tpotMs);
    this.#values.e2elMs.push(values.e2elMs);
    this.#values.decodeCtxsweep.push(decodeRateCtxsweep(record));
    this.#values.decodeVllm.push(decodeRateVllm(record));
  }

  digest(): RunDigest {
    const { ttftMs: ttft, tpotMs, e2elMs: e2el, chunkGapMs, outputTokens } = this.#histograms;
    return {
      requests: this.#requests,
      ttftMs: ttft.bins(),
      tpotMs: tpotMs.bins(),
      e2elMs: e2el.bins(),
      chunkGapMs: chunkGapMs.bins(),
      outputTokens: outputTokens.bins(),
      timeline: this.#timeline.bins(),
      acceptance: [...this.#prompts]
        .map(([promptId, one]) => ({ promptId, ...one, rate: one.acceptedTokens / one.draftTokens }))
        .sort((a, b) => a.rate - b.rate),
      values: this.#promptIds.length > MOST_VALUES ? null : this.#requestValues(),
    };
  }

  #requestValues(): RequestValues {
    const repetitions = this.#repetitions.some((repetition) => repetition > 0)
      ? this.#repetitions
      : undefined;
    return { promptIds: this.#promptIds, repetitions, values: this.#values };
  }

  #addTimes({ scheduledNs, sentNs, endNs, state }: RequestRecord): void {
    if (sentNs === null) return;
    this.#timeline.add("due", scheduledNs / NS_PER_S);
    this.#timeline.add("sent", sentNs / NS_PER_S);
    this.#timeline.add("ended", endNs / NS_PER_S);
    if (state === "ok" || state === "failed") this.#timeline.add(state, endNs / NS_PER_S);
  }

  #addAcceptance({ promptId, acceptance }: RequestRecord): void {
    if (acceptance === null || acceptance.draftTokens === 0) return;
    const known = this.#prompts.get(promptId);
    if (known !== undefined) {
      known.requests++;
      known.draftTokens += acceptance.draftTokens;
      known.acceptedTokens += acceptance.acceptedTokens;
    } else if (this.#prompts.size < MOST_PROMPTS) {
      const { draftTokens, acceptedTokens } = acceptance;
      this.#prompts.set(promptId, { requests: 1, draftTokens, acceptedTokens });
    }
  }
}

/** TTFT and E2EL, ms, by one walk over the chunks. */
function timesOf(record: RequestRecord): { readonly ttft: number | null; readonly e2el: number | null } {
  const { firstNs, lastNs } = streamTimes(record);
  const since = (ns: number | null): number | null =>
    ns === null || record.sentNs === null ? null : (ns - record.sentNs) / NS_PER_MS;
  return { ttft: since(firstNs), e2el: since(lastNs) };
}
