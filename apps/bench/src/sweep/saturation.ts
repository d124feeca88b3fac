import { type BenchConfig } from "@onpar/bench-config";
import {
  openSweepJournal,
  planSweep,
  runSweep,
  searchSaturation,
  type SaturationResult,
  type StepLine,
  type SweepAxis,
} from "@onpar/sweep-runner";

import { packageVersion } from "../version.ts";
import type { SweepKind } from "./sweep-kinds.ts";
import { asRow, type SweepSession } from "./sweep-session.ts";

/** What is searched, and where. */
export interface SaturationPlan {
  readonly over: "concurrency" | "rate";
  readonly from: number;
  readonly to: number;
  readonly trials: number;
  /** Least share of requests that meet the limits of single requests, 0 to 1. */
  readonly share: number;
}

export interface SaturationOptions {
  readonly config: BenchConfig;
  readonly search: SaturationPlan;
  readonly session: SweepSession;
  readonly folder: string;
  readonly resume: boolean;
  readonly measure: SweepKind["measure"];
  readonly signal: AbortSignal;
  readonly onTrial: (value: number, trial: number) => void;
}

/** What a search came to, with a line for each measurement. */
export interface SaturationOutcome {
  readonly result: SaturationResult;
  readonly lines: readonly StepLine[];
}

/** Searches the largest load that meets the service levels. Trials that the journal holds are not taken again. */
export async function findSaturation(options: SaturationOptions): Promise<SaturationOutcome> {
  const { config, search, session, folder, resume, measure, signal, onTrial } = options;
  const { from, to, trials, over, share } = search;
  const field: SweepAxis =
    over === "concurrency"
      ? { field: "concurrency", values: [from, to] }
      : { field: "load.rate", values: [from, to] };
  // The whole search is one plan: its journal belongs to these settings and ends.
  const whole = planSweep(config, [
    field.values[0] === field.values[1] ? { ...field, values: [from] } : field,
  ]);
  const journal = await openSweepJournal(folder, whole, {
    kind: "saturation",
    resume,
    toolVersion: packageVersion(),
  });
  const lines: StepLine[] = [];
  try {
    const result = await searchSaturation({
      integer: over === "concurrency",
      from,
      to,
      trials,
      signal,
      measure: async (value, trial) => {
        onTrial(value, trial);
        const axes: SweepAxis[] = [
          { ...field, values: [value] },
          { field: "trial", values: [trial + 1], isLabel: true },
        ];
        const { lines: taken } = await runSweep({
          plan: planSweep(config, axes),
          journal,
          signal,
          prepare: (step) => session.prepare(step),
          runPoint: async (step, { signal: pointSignal }) => {
            const context = await session.contextOf(step.config, step.boot, folder, pointSignal);
            return asRow(await measure(step, context));
          },
        });
        lines.push(...taken);
        return taken.length > 0 && taken.every((line) => meetsLevels(line, share));
      },
    });
    return { result, lines };
  } finally {
    await journal.release();
  }
}

/** Whether a measurement met its levels: nothing failed, every limit on the run holds, and enough requests meet theirs. */
export function meetsLevels({ status, row }: StepLine, share: number): boolean {
  if (status === "failed" || typeof row !== "object" || row === null || Array.isArray(row)) return false;
  const { failed, dropped, goodput, slosMissed, interrupted } = row;
  if (interrupted === true || failed !== 0 || dropped !== 0 || slosMissed !== 0) return false;
  return goodput === null || (typeof goodput === "number" && goodput >= share);
}

/** The search in words. */
export function describeSaturation(
  { over }: SaturationPlan,
  { largest, smallestMiss, trials }: SaturationResult,
): string {
  const unit = over === "concurrency" ? "requests in flight" : "requests per second";
  const show = (value: number): string => (over === "concurrency" ? String(value) : value.toPrecision(3));
  const tried = trials
    .map(({ value, met, of }) => `  ${show(value)}: ${met} of ${of} trials met the levels\n`)
    .join("");
  if (largest === null)
    return `${tried}the service levels are not met at ${show(trials[0]?.value ?? 0)} ${unit}\n`;
  const edge = smallestMiss === null ? "and more was not tried" : `and missed at ${show(smallestMiss)}`;
  return `${tried}the service levels are met up to ${show(largest)} ${unit}, ${edge}\n`;
}
