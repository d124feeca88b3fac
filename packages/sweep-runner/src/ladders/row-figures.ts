import { acceptanceFrom, sumSpecDecodeCounts } from "@onpar/metrics-client";
import type { RequestRecord } from "../record.ts";
import type { RunResult } from "../result.ts";
import { decodeRateCtxsweep, streamEndMs, ttftMs } from "../figures/request-figures.ts";
import { quantileType7 } from "../figures/percentiles.ts";

/** Median of the values that are there; null when none is. */
export function medianOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null).toSorted((a, b) => a - b);
  return quantileType7(known, 0.5);
}

export function inSeconds(ms: number | null): number | null {
  return ms === null ? null : ms / 1000;
}

/** How often each value occurs. */
export function countsOf(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

/** Bytes of output text per second of decoding: bytes / (stream end - TTFT); null where the rate in tokens is. */
export function decodeBytesPerS(record: RequestRecord): number | null {
  const ttft = ttftMs(record);
  const end = streamEndMs(record);
  if (decodeRateCtxsweep(record) === null || ttft === null || end === null || end <= ttft) return null;
  return record.textBytes / ((end - ttft) / 1000);
}

/** What a rung tells about drafting. */
export interface RungAcceptance {
  /** Tokens per verify step, bonus included: 1 + A/V. */
  readonly acceptedPerPass: number | null;
  /** A/D. */
  readonly acceptanceRate: number | null;
  /** `acceptedPerPass` as a share of the budget, K + 1; null when no budget is known. */
  readonly saturation: number | null;
  /** A_i/V by draft position. */
  readonly perPosition: readonly number[] | null;
  readonly source: string | null;
}

/**
 * Acceptance over the runs of a rung: the counts are added, so that ratios are ratios of sums.
 *
 * @param draftBudget K; null takes it from the counts by position, where there are any
 */
export function rungAcceptance(results: readonly RunResult[], draftBudget: number | null): RungAcceptance {
  const parts = results.flatMap(({ summary }) => summary.acceptance ?? []);
  const source = parts[0]?.source ?? null;
  const sum = parts.length === results.length ? sumSpecDecodeCounts(parts) : null;
  if (sum === null || source === null) {
    return { acceptedPerPass: null, acceptanceRate: null, saturation: null, perPosition: null, source: null };
  }
  const { meanAcceptanceLength, rate, perPositionRate } = acceptanceFrom(sum, source);
  const budget = draftBudget ?? perPositionRate?.length ?? null;
  return {
    acceptedPerPass: meanAcceptanceLength,
    acceptanceRate: rate,
    saturation: meanAcceptanceLength === null || budget === null ? null : meanAcceptanceLength / (budget + 1),
    perPosition: perPositionRate,
    source,
  };
}

/** Who answered in a rung. */
export interface RungOrigin {
  /** As the system names it; null where it does not, or where the runs of the rung had several. */
  readonly model: string | null;
  readonly engine: string | null;
  readonly engineVersion: string | null;
}

export function rungOrigin(results: readonly RunResult[]): RungOrigin {
  return {
    model: oneOf(results.map(({ protocol }) => protocol.model.resolved)),
    engine: oneOf(results.map(({ system }) => system.engine)),
    engineVersion: oneOf(results.map(({ system }) => system.version)),
  };
}

function oneOf(names: readonly (string | null)[]): string | null {
  return new Set(names).size === 1 ? (names[0] ?? null) : null;
}

/** What speaks against the figures of a rung, by the codes of its findings. */
export interface RungFindings {
  /** The stated protocol was not kept, or counts contradict each other. */
  readonly breaches: readonly string[];
  readonly warnings: readonly string[];
}

/** A ladder repeats its prompts on purpose: the first one cold, the others warm. */
const ON_PURPOSE = new Set(["prompts-repeat", "prefix-cache-hits"]);

/** Findings of the runs of a rung, but for what the rung is meant to do. */
export function rungFindings(results: readonly RunResult[]): RungFindings {
  const all = results.flatMap(({ findings }) => findings).filter(({ code }) => !ON_PURPOSE.has(code));
  const codesOf = (severity: string): string[] => [
    ...new Set(all.filter((one) => one.severity === severity).map(({ code }) => code)),
  ];
  return { breaches: codesOf("breach"), warnings: codesOf("warning") };
}
