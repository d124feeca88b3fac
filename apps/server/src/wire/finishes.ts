import type { EngineInfo, GenerateFinish, SpeculationCounters } from "@onpar/engine-binding";

import type { WireFinish } from "./choice-writer.ts";
import { timingsOf } from "./timings.ts";
import { requestMetrics, usageOf, wireFinish } from "./usage.ts";

/** How the outputs of a request ended; null when one was cut off, for then the answer is an error. */
export function endingsOf(finishes: readonly (GenerateFinish | null)[]): readonly WireFinish[] | null {
  const endings = finishes.map((finish) => (finish === null ? null : wireFinish(finish)));
  return endings.every((ending) => ending !== null) ? endings : null;
}

function sum(values: readonly (number | null)[]): number | null {
  return values.reduce((total, value) => (total === null || value === null ? null : total + value), 0);
}

function sumSpeculation(counts: readonly SpeculationCounters[]): SpeculationCounters | null {
  const first = counts[0];
  if (first === undefined) return null;
  return counts.slice(1).reduce(
    (total, one) => ({
      verifySteps: total.verifySteps + one.verifySteps,
      draftTokens: total.draftTokens + one.draftTokens,
      acceptedTokens: total.acceptedTokens + one.acceptedTokens,
      acceptedPerPosition:
        total.acceptedPerPosition?.map((value, at) => value + (one.acceptedPerPosition?.[at] ?? 0)) ?? null,
    }),
    first,
  );
}

export interface TallyOptions {
  readonly prompts: readonly (readonly number[])[];
  readonly timings: boolean;
}

/** Usage, acceptance and timings of a whole request: those of its outputs together, a shared prompt counted once. */
export function tallyOf(
  finishes: readonly (GenerateFinish | null)[],
  { prompts, timings }: TallyOptions,
  info: EngineInfo,
): Readonly<Record<string, unknown>> {
  const ended = finishes.filter((finish) => finish !== null);
  const perPrompt = Math.max(1, ended.length / Math.max(1, prompts.length));
  const speculation = sumSpeculation(ended.flatMap(({ speculation: counts }) => counts ?? []));
  const promptTokens = sum(ended.map((finish) => finish.promptTokens));
  // The later outputs of one prompt find it in the cache by design: what the first one found is what was cached.
  const firsts = ended.filter((_, index) => index % perPrompt === 0);
  const usage = usageOf({
    promptTokens: promptTokens === null ? null : sum(firsts.map((finish) => finish.promptTokens)),
    outputTokens: sum(ended.map((finish) => finish.outputTokens)),
    cachedPromptTokens: sum(firsts.map((finish) => finish.cachedPromptTokens)),
  });
  const metrics = requestMetrics(speculation, info);
  const [only] = ended;
  return {
    usage,
    ...(metrics === null ? {} : { metrics }),
    ...(timings && ended.length === 1 && only !== undefined ? { timings: timingsOf(only) } : {}),
  };
}
