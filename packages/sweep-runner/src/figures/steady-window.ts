import type { SteadyWindow } from "../result.ts";
import { inFlight } from "./concurrency.ts";
import type { RequestTable } from "./request-table.ts";
import type { TokenTimeline } from "./token-timeline.ts";

const NS_PER_MS = 1e6;
const NS_PER_S = 1e9;

export interface SteadyInput {
  readonly table: RequestTable;
  /** Rows of one repetition that were sent, in order of sending. */
  readonly sentOrder: Uint32Array;
  readonly target: number;
  readonly timeline: TokenTimeline;
  readonly outputKnown: boolean;
  readonly promptKnown: boolean;
}

/**
 * Rates from the moment the target concurrency is reached to the moment it is first lost for good; null when so many
 * requests were never in flight at once. Output tokens count where their chunk arrives, prompt tokens and requests where
 * the first token and the end of the stream are.
 */
export function steadyWindow(input: SteadyInput): SteadyWindow | null {
  const { table, sentOrder, target, timeline } = input;
  const sent = Float64Array.from(sentOrder, (row) => table.sentNs.at(row));
  const ended = Float64Array.from(sentOrder, (row) => table.endNs.at(row)).sort();
  const window = inFlight(sent, ended).window(target);
  if (window === null || window.endNs <= window.startNs) return null;
  const { startNs, endNs } = window;
  const durationS = (endNs - startNs) / NS_PER_S;
  const inside = (atNs: number): boolean => atNs > startNs && atNs <= endNs;
  let completed = 0;
  let promptTokens = 0;
  for (const row of sentOrder) {
    if (table.ok.at(row) !== 1) continue;
    if (inside(table.endNs.at(row))) completed++;
    if (inside(table.sentNs.at(row) + table.ttft.at(row) * NS_PER_MS))
      promptTokens += table.promptTokens.at(row);
  }
  const first = sent[0] ?? 0;
  const output = input.outputKnown ? timeline.between(startNs, endNs) : null;
  return {
    startS: (startNs - first) / NS_PER_S,
    endS: (endNs - first) / NS_PER_S,
    durationS,
    concurrency: target,
    outputTokensPerS: output === null ? null : output / durationS,
    totalTokensPerS: output === null || !input.promptKnown ? null : (output + promptTokens) / durationS,
    requestsPerS: completed / durationS,
    completed,
  };
}

/** The windows of several repetitions as one: durations add up, start and end are those of the first. */
export function joinWindows(windows: readonly SteadyWindow[]): SteadyWindow | null {
  const [first, ...rest] = windows;
  if (first === undefined || rest.length === 0) return first ?? null;
  const durationS = windows.reduce((sum, window) => sum + window.durationS, 0);
  const mean = (of: (window: SteadyWindow) => number | null): number | null => {
    let sum = 0;
    for (const window of windows) {
      const rate = of(window);
      if (rate === null) return null;
      sum += rate * window.durationS;
    }
    return sum / durationS;
  };
  return {
    ...first,
    durationS,
    outputTokensPerS: mean((window) => window.outputTokensPerS),
    totalTokensPerS: mean((window) => window.totalTokensPerS),
    requestsPerS: mean((window) => window.requestsPerS) ?? 0,
    completed: windows.reduce((sum, window) => sum + window.completed, 0),
  };
}
