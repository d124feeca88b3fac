import type { ServerFacts } from "../dialects/server-facts.ts";
import type { DraftBudget } from "../dialects/sources.ts";
import type { CounterValues } from "./counter-values.ts";
import { figure, type Figure, type FigureSource, type FigureWindow } from "./figure.ts";
import type { PageIndex } from "./page-index.ts";
import { add, exact, type Quantity, ratio, subtract } from "./quantity.ts";

/** Acceptance in the normal form. A count or figure that the server does not tell is null, never 0. */
export interface AcceptanceReading {
  /** D: draft tokens proposed. */
  readonly draftTokens: Quantity | null;
  /** A: draft tokens accepted, bonus token excluded. */
  readonly acceptedTokens: Quantity | null;
  /** V: requests times engine steps that carried at least one draft token. */
  readonly verifySteps: Quantity | null;
  /** A_i and D_i by draft position, from 0. */
  readonly acceptedPerPosition: readonly number[] | null;
  readonly draftedPerPosition: readonly number[] | null;
  /** 0 to 1. */
  readonly rate: Figure | null;
  /** Tokens per verify step, bonus token included: 1 to K + 1. */
  readonly meanLength: Figure | null;
  /** Share of the steps that accepted the token at position i. */
  readonly perPosition: readonly Figure[] | null;
  /** Share of those that accepted i of the steps that had accepted the position before. */
  readonly perPositionConditional: readonly (number | null)[] | null;
  /** Tokens per decode step, drafted or not. */
  readonly tokensPerStep: Figure | null;
  /** Draft tokens per verify step. */
  readonly meanDraftLength: Figure | null;
  readonly source: FigureSource;
  readonly window: FigureWindow;
  /** What a reader of the figures has to know, in words. */
  readonly notes: readonly string[];
}

/** A reading, or why there is none in words. */
export type AcceptanceOutcome =
  | { readonly reading: AcceptanceReading; readonly missing: null }
  | { readonly reading: null; readonly missing: string };

/** What a dialect may look at besides counters. */
export interface AcceptanceContext {
  /** The later page of a window, or the only one. */
  readonly page: PageIndex;
  /** The earlier page of a window; null when the counters are those since the start. */
  readonly before: PageIndex | null;
  readonly window: FigureWindow;
  readonly facts: ServerFacts;
  /** What the server said of itself at the window's beginning. */
  readonly factsBefore: ServerFacts;
  readonly draftBudget: DraftBudget | null;
  /** Counters since the start at both ends, for averages that the server takes over its whole life. */
  readonly totals: { readonly before: CounterValues; readonly after: CounterValues } | null;
}

/** Counts that a reading is made of; what is left out is not known. */
export interface ReadingParts {
  readonly draftTokens?: Quantity | null;
  readonly acceptedTokens?: Quantity | null;
  readonly verifySteps?: Quantity | null;
  readonly acceptedPerPosition?: readonly number[] | null;
  readonly draftedPerPosition?: readonly number[] | null;
  /** G, R and S, for the tokens per step. */
  readonly generated?: Quantity | null;
  readonly firstTokens?: Quantity | null;
  readonly decodeSteps?: Quantity | null;
  readonly source?: FigureSource;
  readonly notes?: readonly string[];
}

/** Makes a reading of counts by the formulas that hold for every engine; figures whose counts are missing are null. */
export function readingFrom(parts: ReadingParts, window: FigureWindow): AcceptanceReading {
  const { draftTokens = null, acceptedTokens = null, verifySteps = null, source = "counters" } = parts;
  const { acceptedPerPosition = null, draftedPerPosition = null, notes = [] } = parts;
  const accepted = acceptedTokens;
  const rate = accepted !== null && draftTokens !== null ? ratio(accepted, draftTokens) : null;
  const passes = accepted !== null && verifySteps !== null ? ratio(accepted, verifySteps) : null;
  const length = passes === null ? null : add(exact(1), passes);
  const draftLength = draftTokens !== null && verifySteps !== null ? ratio(draftTokens, verifySteps) : null;
  return {
    draftTokens,
    acceptedTokens,
    verifySteps,
    acceptedPerPosition,
    draftedPerPosition,
    rate: figure(rate, "A/D", source, window),
    meanLength: figure(length, "1+A/V", source, window),
    perPosition: marginals(acceptedPerPosition, verifySteps, source, window),
    perPositionConditional: conditionals(acceptedPerPosition, draftedPerPosition, verifySteps),
    tokensPerStep: tokensPerStep(parts, source, window),
    meanDraftLength: figure(draftLength, "D/V", source, window),
    source,
    window,
    notes,
  };
}

function marginals(
  positions: readonly number[] | null,
  verifySteps: Quantity | null,
  source: FigureSource,
  window: FigureWindow,
): Figure[] | null {
  if (positions === null || verifySteps === null) return null;
  const figures: Figure[] = [];
  for (const accepted of positions) {
    const share = figure(ratio(exact(accepted), verifySteps), "A_i/V", source, window);
    if (share === null) return null;
    figures.push(share);
  }
  return figures;
}

/** c_i = A_i / D_i where drafts are told by position, else A_i over the steps that got so far. */
function conditionals(
  accepted: readonly number[] | null,
  drafted: readonly number[] | null,
  verifySteps: Quantity | null,
): (number | null)[] | null {
  if (accepted === null) return null;
  return accepted.map((here, position) => {
    const reached = drafted?.[position] ?? (position === 0 ? verifySteps?.value : accepted[position - 1]);
    return reached === undefined || reached <= 0 ? null : here / reached;
  });
}

/** Steps that the server counts are better than steps that follow from tokens. */
function tokensPerStep(
  { generated, firstTokens, decodeSteps, acceptedTokens }: ReadingParts,
  source: FigureSource,
  window: FigureWindow,
): Figure | null {
  if (generated == null || firstTokens == null) return null;
  const afterFirst = subtract(generated, firstTokens);
  if (!(afterFirst.value > 0)) return null;
  if (decodeSteps != null) return figure(ratio(afterFirst, decodeSteps), "(G-R)/S", source, window);
  if (acceptedTokens == null) return null;
  const steps = subtract(afterFirst, acceptedTokens);
  return figure(ratio(afterFirst, steps), "(G-R)/(G-R-A)", "estimate", window);
}
