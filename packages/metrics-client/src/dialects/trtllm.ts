import {
  readingFrom,
  type AcceptanceContext,
  type AcceptanceOutcome,
  type AcceptanceReading,
} from "../normal/acceptance-reading.ts";
import type { CounterValues } from "../normal/counter-values.ts";
import { figure, type FigureWindow } from "../normal/figure.ts";
import type { PageIndex } from "../normal/page-index.ts";
import { exact } from "../normal/quantity.ts";
import type { Dialect } from "./dialect.ts";
import { countAt } from "../json.ts";
import type { ServerFacts } from "./server-facts.ts";
import { budgetByPositions, declaredBudget } from "./shared.ts";
import type { DraftBudget, HistogramSource, SeriesSource } from "./sources.ts";

/** `trtllm_` since 2026, `trtllm:` behind Dynamo for a while, and nothing in 1.1 and 1.2. */
const PREFIXES = ["trtllm_", "trtllm:"];
const named = (...names: string[]): SeriesSource => ({
  names: names.flatMap((name) => PREFIXES.map((prefix) => prefix + name)),
});
const orBare = (name: string): SeriesSource => ({ names: [...named(name).names, name] });
const histogram = (
  observation: HistogramSource["observation"],
  unit: HistogramSource["unit"],
  name: string,
): HistogramSource => ({ ...orBare(name), observation, unit });

/** TensorRT-LLM's trtllm-serve: its Prometheus page, and the JSON statistics that reading takes away. */
export const trtllm: Dialect = {
  engine: "trtllm",
  title: "TensorRT-LLM",
  enabling:
    "trtllm-serve serves Prometheus text at /prometheus/metrics with return_perf_metrics: true, and JSON statistics at " +
    "/metrics with enable_iter_perf_stats: true",
  recognises: (name) => name.startsWith("trtllm_") || name.startsWith("trtllm:"),
  countsAt: "request-end",
  staleness: {
    seconds: null,
    why: "gauges are those of the last iteration and stand when none runs: look at the completed requests too",
  },
  significantDigits: null,
  duplicatingLabels: [],
  counters: {
    // By position, position 0 is drafted once in each verify step; the JSON statistics count the steps themselves.
    verifySteps: named("spec_decode_num_drafts", "json_requests_with_draft_tokens"),
    draftTokens: named("spec_decode_num_draft_tokens"),
    acceptedTokens: named("spec_decode_num_accepted_tokens"),
    draftedPerPosition: named("spec_decode_drafted_tokens"),
    acceptedPerPosition: named("spec_decode_accepted_tokens", "spec_decode_num_accepted_tokens_per_pos"),
    promptTokens: orBare("prompt_tokens"),
    cachedPromptTokens: named("prompt_cached_tokens"),
    generationTokens: orBare("generation_tokens"),
    requestsFinished: {
      names: [...orBare("request_success").names, ...named("num_requests_completed").names],
    },
    firstTokens: { ...orBare("time_to_first_token_seconds"), part: "count" },
  },
  running: [named("num_requests_running")],
  waiting: [named("num_requests_waiting")],
  kvUsage: named("kv_cache_utilization"),
  histograms: {
    timeToFirstToken: histogram("request", "s", "time_to_first_token_seconds"),
    timePerOutputToken: histogram("request mean", "s", "time_per_output_token_seconds"),
    endToEnd: histogram("request", "s", "e2e_request_latency_seconds"),
    queueTime: histogram("request", "s", "request_queue_time_seconds"),
    prefillTime: histogram("request", "s", "request_prefill_time_seconds"),
    decodeTime: histogram("request", "s", "request_decode_time_seconds"),
  },
  draftBudget: trtllmBudget,
  acceptance: trtllmAcceptance,
};

function trtllmBudget(page: PageIndex, facts: ServerFacts): DraftBudget | null {
  const declared = declaredBudget(facts);
  if (declared !== null) return declared;
  for (const name of named("speculative_config_info").names) {
    const told = countAt(page.samples(name)[0]?.labels["spec_num_tokens"]);
    if (told !== null && told > 0) return { value: told, isExact: true, from: name };
  }
  return budgetByPositions(page, "trtllm_spec_decode_drafted_tokens_total", "token_position", false);
}

function trtllmAcceptance(values: CounterValues, context: AcceptanceContext): AcceptanceOutcome {
  const drafted = values.positions("draftedPerPosition");
  const accepted = values.positions("acceptedPerPosition");
  const sum = (positions: readonly number[] | null) =>
    positions === null ? null : exact(positions.reduce((total, value) => total + value, 0));
  const draftTokens = values.get("draftTokens") ?? sum(drafted);
  const acceptedTokens = values.get("acceptedTokens") ?? sum(accepted);
  if (draftTokens === null || acceptedTokens === null) return fromGauge(context);
  const first = drafted?.[0];
  const verifySteps = values.get("verifySteps") ?? (first === undefined ? null : exact(first));
  const notes: string[] = [];
  const dropped = context.page.samples("trtllm_json_dropped_frames_total")[0]?.value ?? 0;
  if (dropped > 0) notes.push(`${dropped} iterations were dropped before they were read: counts are too low`);
  if (verifySteps === null)
    notes.push("this build counts no verify steps: the length is the last iteration's");
  const reading = readingFrom(
    {
      draftTokens,
      acceptedTokens,
      verifySteps,
      acceptedPerPosition: accepted,
      draftedPerPosition: drafted,
      generated: values.get("generationTokens"),
      firstTokens: values.get("firstTokens"),
      notes,
    },
    context.window,
  );
  const meanLength = reading.meanLength ?? lastIteration(context);
  return { reading: { ...reading, meanLength }, missing: null };
}

/** The mean length of the last iteration: the smallest window there is. */
function lastIteration({ page, window }: AcceptanceContext): AcceptanceReading["meanLength"] {
  const last: FigureWindow = { kind: "gauge-window", from: null, to: window.to };
  for (const name of named("spec_decode_acceptance_length").names) {
    const told = page.samples(name).filter(({ value }) => value >= 1);
    const [first] = told;
    if (first === undefined) continue;
    const mean = told.reduce((total, { value }) => total + value, 0) / told.length;
    return figure(exact(mean), "gauge:length", "gauge", last);
  }
  return null;
}

function fromGauge(context: AcceptanceContext): AcceptanceOutcome {
  const meanLength = lastIteration(context);
  if (meanLength === null) {
    return { reading: null, missing: "the page has neither counters nor a gauge of speculative decoding" };
  }
  const notes = ["the gauge is that of the last iteration only: sample it while requests run"];
  const reading = readingFrom({ source: "gauge", notes }, meanLength.window);
  return { reading: { ...reading, meanLength }, missing: null };
}
