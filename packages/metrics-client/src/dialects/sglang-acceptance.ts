import {
  readingFrom,
  type AcceptanceContext,
  type AcceptanceOutcome,
  type AcceptanceReading,
} from "../normal/acceptance-reading.ts";
import type { CounterValues } from "../normal/counter-values.ts";
import { figure, type Figure, type FigureWindow } from "../normal/figure.ts";
import type { PageIndex } from "../normal/page-index.ts";
import { exact, type Quantity, ratio, subtract } from "../normal/quantity.ts";
import { sglangLifetime } from "./sglang-lifetime.ts";
import { rateEra, trueRate } from "./sglang-rate.ts";
import { countAt } from "../json.ts";

/**
 * SGLang's acceptance, from the best that the server gives: verify calls counted at the end of requests (2026), its lifetime
 * average taken apart with the token counters, else the gauge over the last decode batches.
 */
export function sglangAcceptance(values: CounterValues, context: AcceptanceContext): AcceptanceOutcome {
  const reading =
    fromVerifyCalls(values, context) ?? sglangLifetime(context) ?? fromGauge(context.page, context);
  if (reading !== null) return { reading, missing: null };
  return {
    reading: null,
    missing: "the page has no acceptance: SGLang does not speculate, or has not decoded a batch yet",
  };
}

/** A tree of drafts proposes more tokens than one path can take: a rate per proposed token says little. */
function isTree({ facts }: AcceptanceContext): boolean {
  return (countAt(facts.serverInfo, "speculative_eagle_topk") ?? 1) > 1;
}

/** Tokens accepted past the end of an output are in no token counter: as many as K for each request. */
function trimmed(requests: Quantity, budget: number | null): number {
  return requests.value * (budget ?? 1);
}

function fromVerifyCalls(values: CounterValues, context: AcceptanceContext): AcceptanceReading | null {
  const verifySteps = values.get("verifySteps");
  const generated = values.get("generationTokens");
  // R is better told by first tokens, which are counted as they come; at the end of requests both agree.
  const requests = values.get("requestsFinished") ?? values.get("firstTokens");
  if (verifySteps === null || generated === null || requests === null) return null;
  if (!(verifySteps.value > 0)) return null;
  const { window, draftBudget } = context;
  const budget = draftBudget?.value ?? null;
  const decoded = subtract(generated, requests);
  const counted = subtract(decoded, verifySteps);
  const accepted: Quantity = {
    value: Math.max(0, counted.value),
    plusMinus: counted.plusMinus + trimmed(requests, budget),
  };
  const notes = [
    "accepted tokens follow from generated tokens, requests and verify calls: exact when every decode step was a verify " +
      "step, less by what was accepted past the end of outputs",
  ];
  const tree = isTree(context);
  if (tree) notes.push("drafts form a tree (topk > 1): there is no rate per draft token");
  const drafted = tree || budget === null ? null : exact(verifySteps.value * budget);
  const parts = { draftTokens: drafted, acceptedTokens: accepted, verifySteps, notes };
  const reading = readingFrom({ ...parts, source: "counters" }, window);
  const length = ratio({ ...decoded, plusMinus: accepted.plusMinus }, verifySteps);
  return {
    ...reading,
    rate: reading.rate === null ? null : { ...reading.rate, formula: "A/(V*K)" },
    meanLength: figure(length, "(G-R)/V", "counters", window),
  };
}

/** The mean over engines of a gauge that is 0 until something was decoded. */
function gaugeOf(page: PageIndex, name: string): number | null {
  const told = page
    .samples(name)
    .filter(({ value, labels }) => value > 0 && (labels["tp_rank"] ?? "0") === "0");
  return told.length === 0 ? null : told.reduce((sum, { value }) => sum + value, 0) / told.length;
}

function fromGauge(page: PageIndex, context: AcceptanceContext): AcceptanceReading | null {
  const length = gaugeOf(page, "sglang:spec_accept_length");
  if (length === null) return null;
  const window: FigureWindow = { kind: "gauge-window", from: null, to: context.window.to };
  const notes = [
    "a gauge over the last decode batches (--decode-log-interval), not over the window: sample it while requests run",
  ];
  const budget = context.draftBudget?.value ?? null;
  const spread = gaugeSpread(page, "sglang:spec_accept_length");
  const meanLength = figure({ value: length, plusMinus: spread }, "gauge:length", "gauge", window);
  let rate: Figure | null = null;
  if (isTree(context)) notes.push("drafts form a tree (topk > 1): there is no rate per draft token");
  else if (budget !== null && budget > 0) {
    // The length has meant the same in all versions, the rate gauge has not.
    rate = figure({ value: (length - 1) / budget, plusMinus: spread / budget }, "(tau-1)/K", "gauge", window);
  } else rate = rateByGauge(page, length, window, notes);
  return {
    ...readingFrom({ source: "gauge", notes }, window),
    meanLength,
    rate,
  };
}

/** Engines that differ show how much one of them says of the others. */
function gaugeSpread(page: PageIndex, name: string): number {
  const told = page.samples(name).filter(({ value }) => value > 0);
  if (told.length < 2) return 0;
  const values = told.map(({ value }) => value);
  return (Math.max(...values) - Math.min(...values)) / 2;
}

/** Without the budget, the rate gauge can be read only where the page's own words say which formula it follows. */
function rateByGauge(page: PageIndex, length: number, window: FigureWindow, notes: string[]): Figure | null {
  const gauge = gaugeOf(page, "sglang:spec_accept_rate");
  if (gauge === null) return null;
  const era = rateEra(page.families.get("sglang:spec_accept_rate")?.help ?? null, gauge, length, null);
  const rate = trueRate(era, gauge, null);
  if (rate === null) {
    notes.push(`the rate gauge (${gauge}) follows an older formula that needs the draft budget to be undone`);
    return null;
  }
  return figure(exact(rate), "gauge:rate", "gauge", window);
}
