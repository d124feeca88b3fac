import type { Dialect } from "./dialect.ts";

/** A dialect of an engine that tells neither load nor acceptance on a page. */
export function unmeasured(
  identity: Pick<Dialect, "engine" | "title" | "enabling" | "recognises">,
  missing: string,
): Dialect {
  return {
    ...identity,
    countsAt: "request-end",
    staleness: { seconds: null, why: "the engine tells nothing of its load" },
    significantDigits: null,
    duplicatingLabels: [],
    counters: {},
    running: [],
    waiting: [],
    kvUsage: null,
    histograms: {},
    draftBudget: (_, facts) =>
      facts.declaredDraftBudget === undefined
        ? null
        : { value: facts.declaredDraftBudget, isExact: true, from: "declared" },
    acceptance: () => ({ reading: null, missing }),
  };
}
