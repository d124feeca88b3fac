import { readingFrom, type AcceptanceContext, type AcceptanceOutcome } from "../normal/acceptance-reading.ts";
import type { CounterValues } from "../normal/counter-values.ts";
import { exact, subtract } from "../normal/quantity.ts";
import type { Dialect } from "./dialect.ts";
import { declaredBudget, startsWithAny } from "./shared.ts";
import type { HistogramSource } from "./sources.ts";

const named = (...names: string[]) => ({ names: names.map((name) => `tgi_${name}`) });
const histogram = (
  observation: HistogramSource["observation"],
  unit: HistogramSource["unit"],
  name: string,
): HistogramSource => ({ ...named(name), observation, unit });

/** Text Generation Inference 3. Counters have no `_total`, and histograms without set buckets come as summaries. */
export const tgi: Dialect = {
  engine: "tgi",
  title: "Text Generation Inference",
  enabling: "TGI always serves /metrics on its main port",
  recognises: startsWithAny("tgi_"),
  countsAt: "step",
  staleness: {
    seconds: null,
    why: "the queue's gauge is set when a batch is built and may be old: trust two zeros in a row of batch and queue",
  },
  significantDigits: null,
  duplicatingLabels: [],
  counters: {
    acceptedTokens: { ...named("request_skipped_tokens"), part: "sum" },
    outputs: { ...named("request_skipped_tokens"), part: "count" },
    promptTokens: { ...named("request_input_length"), part: "sum" },
    generationTokens: { ...named("request_generated_tokens"), part: "sum" },
    requestsFinished: named("request_success"),
    // Each request that succeeded gave one first token.
    firstTokens: named("request_success"),
  },
  running: [named("batch_current_size")],
  waiting: [named("queue_size")],
  kvUsage: null,
  histograms: {
    endToEnd: histogram("request", "s", "request_duration"),
    queueTime: histogram("request", "s", "request_queue_duration"),
    timePerOutputToken: histogram("request mean", "s", "request_mean_time_per_token_duration"),
    promptLength: histogram("request", "tokens", "request_input_length"),
    outputLength: histogram("request", "tokens", "request_generated_tokens"),
  },
  // --speculate is in no answer of the server.
  draftBudget: (_, facts) => declaredBudget(facts),
  acceptance: tgiAcceptance,
};

/**
 * Each output of a request is one observation of the tokens that it returned beyond the first, prefills among them. So A is
 * the sum, and V the outputs without the prefills, which are taken to be the requests that succeeded.
 */
function tgiAcceptance(values: CounterValues, context: AcceptanceContext): AcceptanceOutcome {
  const acceptedTokens = values.get("acceptedTokens");
  const outputs = values.get("outputs");
  if (acceptedTokens === null || outputs === null) {
    return {
      reading: null,
      missing: "the page has no tgi_request_skipped_tokens: TGI runs without --speculate",
    };
  }
  const prefills = values.get("requestsFinished");
  const verifySteps = prefills === null ? null : subtract(outputs, prefills);
  const budget = context.draftBudget?.value ?? null;
  const notes = [
    "prefills are taken to be the requests that succeeded: requests that failed or were retried shift V",
  ];
  if (budget === null) notes.push("TGI does not tell its draft budget (--speculate): there is no rate");
  const reading = readingFrom(
    {
      draftTokens: verifySteps === null || budget === null ? null : exact(verifySteps.value * budget),
      acceptedTokens,
      verifySteps,
      notes,
    },
    context.window,
  );
  const rate = reading.rate === null ? null : { ...reading.rate, formula: "A/(V*K)" as const };
  return { reading: { ...reading, rate }, missing: null };
}
