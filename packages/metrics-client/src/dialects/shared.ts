import type { AcceptanceContext, AcceptanceOutcome } from "../normal/acceptance-reading.ts";
import { readingFrom } from "../normal/acceptance-reading.ts";
import type { CounterValues } from "../normal/counter-values.ts";
import type { PageIndex } from "../normal/page-index.ts";
import type { ServerFacts } from "./server-facts.ts";
import type { DraftBudget } from "./sources.ts";

/** Recognises names by what they begin with. */
export function startsWithAny(...prefixes: readonly string[]): (name: string) => boolean {
  return (name) => prefixes.some((prefix) => name.startsWith(prefix));
}

/** K as somebody declared it; null when nobody did. */
export function declaredBudget(facts: ServerFacts): DraftBudget | null {
  const { declaredDraftBudget: value } = facts;
  return value === undefined ? null : { value, isExact: true, from: "declared" };
}

/** K by the positions that a page counts. */
export function budgetByPositions(
  page: PageIndex,
  name: string,
  label: string,
  isExact: boolean,
): DraftBudget | null {
  const positions = new Set(page.samples(name).map(({ labels }) => labels[label] ?? ""));
  if (positions.size === 0) return null;
  return { value: positions.size, isExact, from: `draft positions of ${name}` };
}

/** Acceptance of engines that count D, A, V and A_i as vLLM does: 1 + A / V, the bonus token only in the length. */
export function countedAcceptance(
  values: CounterValues,
  { window }: AcceptanceContext,
  notes: readonly string[] = [],
): AcceptanceOutcome {
  const draftTokens = values.get("draftTokens");
  const acceptedTokens = values.get("acceptedTokens");
  if (draftTokens === null || acceptedTokens === null) {
    return { reading: null, missing: "the page has no speculative-decoding counters" };
  }
  const verifySteps = values.get("verifySteps");
  const reading = readingFrom(
    {
      draftTokens,
      acceptedTokens,
      verifySteps,
      acceptedPerPosition: values.positions("acceptedPerPosition"),
      draftedPerPosition: values.positions("draftedPerPosition"),
      generated: values.get("generationTokens"),
      firstTokens: values.get("firstTokens"),
      decodeSteps: values.get("decodeSteps"),
      notes: draftTokens.value === 0 ? ["no token was drafted", ...notes] : notes,
    },
    window,
  );
  return { reading, missing: null };
}
