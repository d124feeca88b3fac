import { applyChatTemplate } from "@onpar/chat-render";
import { requestFields } from "@onpar/bench-config";
import { describe, expect, it } from "vitest";
import { audit } from "../src/checks/audit.ts";
import { monotonicClock, startTimeline } from "../src/clock.ts";
import { contextFit } from "../src/context-fit.ts";
import {
  e2elMs,
  itlChunkGapsMs,
  itlTokenGapsMs,
  ratePerS,
  tpotVllmMs,
  ttftMs,
} from "../src/figures/request-figures.ts";
import { peakOutputRate } from "../src/figures/token-timeline.ts";
import { createHttpTarget } from "../src/targets/http-target.ts";
import { readUsage } from "../src/stream/openai-events.ts";
import { quantileType7 } from "../src/figures/percentiles.ts";
import type { ChunkMark, RequestRecord } from "../src/record.ts";
import { summarize } from "../src/figures/summarize.ts";
import { config } from "./support/config.ts";
import { record } from "./support/records.ts";
import { sharedCases, type SharedCase } from "./support/shared-cases.ts";

const MS = 1e6;
const cases = sharedCases("BC");
const ofKind = (wanted: string): SharedCase[] => cases.filter(({ kind }) => kind === wanted);
type Input = SharedCase["input"];
type Row = Readonly<Record<string, unknown>>;

const numberOr = (value: unknown, otherwise: number): number =>
  typeof value === "number" ? value : otherwise;
const rows = (input: Input): Row[] => (Array.isArray(input["records"]) ? (input["records"] as Row[]) : []);

/** A record of events with their times. */
function fromEvents(events: readonly Row[], given: unknown): RequestRecord {
  const chunks: ChunkMark[] = [];
  let sentNs = 0;
  let counted = 0;
  let usage = readUsage(given);
  let endNs = 0;
  for (const event of events) {
    endNs = numberOr(event["t_ms"] ?? event["mono_ms"], 0) * MS;
    const tokens = numberOr(event["tokens"], 0);
    if (event["type"] === "send") sentNs = endNs;
    else if (event["type"] === "usage") {
      usage = readUsage({ completion_tokens: event["completion_tokens"] });
      chunks.push([endNs, "usage", 0, null]);
    } else if (event["type"] === "done") chunks.push([endNs, "done", 0, null]);
    else chunks.push([endNs, tokens === 0 ? "role" : "content", tokens, tokens === 0 ? null : tokens]);
    counted += tokens;
  }
  const outputTokens = usage?.completionTokens ?? counted;
  return record({
    sentNs,
    chunks,
    endNs,
    usage,
    outputTokens,
    tokenSource: usage === null ? "token-ids" : "usage",
  });
}

/** A record of the figures that a case gives instead of events. */
function fromFigures(row: Row, index: number): RequestRecord {
  const ns = (key: string): number[] => (typeof row[key] === "number" ? [row[key] * MS] : []);
  const end = [...ns("e2e_ms"), ...ns("end_ms")].slice(0, 1);
  const failed = row["ok"] === false;
  const outputTokens = typeof row["output_tokens"] === "number" ? row["output_tokens"] : null;
  return record({
    id: typeof row["id"] === "string" ? row["id"] : `r${index}`,
    phase: row["phase"] === "warmup" ? "warmup" : "measure",
    state: failed ? "failed" : "ok",
    sentNs: numberOr(row["send_ms"], 0) * MS,
    chunks: [...ns("ttft_ms"), ...end].map((at): ChunkMark => [at, "content", 1, null]),
    endNs: end[0] ?? ns("ttft_ms")[0] ?? 0,
    outputTokens,
    tokenSource: outputTokens === null ? "unknown" : "usage",
    error: failed ? { kind: "transport", message: "failed" } : null,
  });
}

function findings(records: readonly RequestRecord[], promptTextTokens: ReadonlyMap<string, number>) {
  const summary = summarize(records, {
    asked: records.length,
    cap: 9,
    acceptance: null,
    acceptanceMissing: null,
  });
  const rule = { name: "eos" as const, cap: 9, stop: [], requested: { ignoreEos: false }, sent: {} };
  return audit({ records, summary, rule, draftBudget: null, metrics: null, promptTextTokens });
}

function eventFigures(input: Input): Row {
  const one = fromEvents(input["events"] as Row[], input["usage"]);
  return {
    ttft_ms: ttftMs(one),
    e2e_ms: e2elMs(one),
    tpot_ms: tpotVllmMs(one),
    itl_chunk_ms: itlChunkGapsMs(one),
    itl_token_ms_spread: itlTokenGapsMs(one),
    output_tokens: one.outputTokens,
    output_token_source: one.tokenSource,
  };
}

function peakFigures(input: Input): Row {
  const rule = input["events_rule"] as Readonly<Record<string, number>>;
  const {
    send_ms: send = 0,
    first_chunk_ms: first = 0,
    step_ms: step = 0,
    chunks = 0,
    tokens_per_chunk: tokens = 0,
  } = rule;
  const events = Array.from({ length: chunks }, (_, index) => ({
    type: "chunk",
    t_ms: first + index * step,
    tokens,
  }));
  const one = fromEvents([{ type: "send", t_ms: send }, ...events], undefined);
  const bucketMs = numberOr(input["bucket_ms"], 1000);
  const buckets = Math.ceil((e2elMs(one) ?? 0) / bucketMs);
  const peak = peakOutputRate([one], send * MS, bucketMs) ?? 0;
  const mean = ratePerS(one.outputTokens, buckets * bucketMs) ?? Infinity;
  return { output_tokens: one.outputTokens, peak_tokens_per_s: peak, peak_at_least_mean: peak >= mean };
}

function runFigures(input: Input): Row {
  const records = rows(input).map(fromFigures);
  const measured = records.filter(({ phase }) => phase === "measure");
  const { latency, counts, rates, errorRate } = summarize(records, {
    asked: measured.length,
    cap: 9,
    acceptance: null,
    acceptanceMissing: null,
  });
  const e2e = measured
    .flatMap((one) => (one.state === "ok" ? (e2elMs(one) ?? []) : []))
    .sort((a, b) => a - b);
  const invalid = findings(records, new Map()).find(({ code }) => code === "times-invalid")?.message;
  return {
    successful: counts.ok,
    failed: counts.failed,
    failure_rate: errorRate,
    request_throughput_rps: rates.requestsPerS,
    output_tokens_per_s: rates.outputTokensPerS,
    mean_e2e_ms: latency.e2elMs?.mean ?? null,
    mean_ttft_ms: latency.ttftMs?.mean ?? null,
    mean_tpot_ms: latency.tpotMs?.mean ?? null,
    tpot_count: latency.tpotMs?.n ?? 0,
    ttft_count: latency.ttftMs?.n ?? 0,
    ttft_missing: counts.ok - (latency.ttftMs?.n ?? 0),
    p95_success_only_ms: quantileType7(e2e, 0.95),
    must_state_sample: [e2e.length, counts.asked],
    invalid: invalid?.split(": ").at(-1)?.split(", "),
    raises: false,
  };
}

function usageFigures(input: Input): Row {
  const usage = readUsage(input["usage"]);
  const seen = record({ usage, outputTokens: usage?.completionTokens ?? null, tokenSource: "usage" });
  const text = new Map([["p0", numberOr(input["client_text_tokens"], 0)]]);
  const overhead = findings([seen], text).find(({ code }) => code === "prompt-overhead")?.message;
  return {
    output_tokens: usage?.completionTokens,
    input_tokens: usage?.promptTokens,
    input_token_source: "usage",
    template_overhead_tokens: Number(/\+(\d+)/.exec(overhead ?? "")?.[1]),
    input_tokens_per_s: ratePerS(usage?.promptTokens ?? null, numberOr(input["duration_ms"], 0)),
  };
}

function fitFigures(input: Input): Row {
  const [prompt, output, limit] = ["prompt_tokens", "max_tokens", "max_model_len"].map((key) =>
    numberOr(input[key], 0),
  );
  const fit = contextFit(prompt ?? 0, output ?? 0, limit ?? 0);
  return { total: fit.total, fits: fit.fits, max_prompt_tokens: fit.longestPrompt };
}

/** What this package computes for a case, chosen by what the case gives. */
function figures({ input }: SharedCase): Row {
  if (input["events"] !== undefined) return eventFigures(input);
  if (input["events_rule"] !== undefined) return peakFigures(input);
  if (input["records"] !== undefined) return runFigures(input);
  return input["usage"] === undefined ? fitFigures(input) : usageFigures(input);
}

/** The wrong way's value, another convention for failures, and the part of `usage` that no figure needs. */
const NOT_COMPUTED = /_bug_|_failures_as_infinite|^reasoning_tokens$|^advice_keys$/;

/** Cases give their numbers to a hundredth or better. */
function rounded(value: unknown): unknown {
  return typeof value === "number" ? Math.round(value * 100) / 100 : value;
}

describe.runIf(cases.length === 0)("figure cases from public reports", () => {
  it("are absent: kinds metric, request and tokenizer of B and C are skipped (ONPAR_SHARED_CASES names their folder)", () => {
    expect(cases).toEqual([]);
  });
});

describe.runIf(cases.length > 0)("figure cases from public reports", () => {
  it("are all computed; those of kind sse are played as streams", () => {
    const kinds = new Set(cases.map(({ kind }) => kind));
    expect([...kinds].filter((kind) => !["metric", "request", "tokenizer", "sse"].includes(kind))).toEqual(
      [],
    );
    expect(cases.filter(({ id, kind }) => id.startsWith("B") && kind === "sse")).toEqual([]);
  });

  it.each(ofKind("metric"))("$id", (one) => {
    const keys = Object.keys(one.expected).filter((key) => !NOT_COMPUTED.test(key));
    const computed = figures(one);
    const pick = (from: Row): Row => Object.fromEntries(keys.map((key) => [key, rounded(from[key])]));
    expect(pick(computed)).toEqual(pick(one.expected));
  });

  it.each(ofKind("request"))("$id", ({ input, expected }) => {
    const options = input["options"] as {
      ignore_eos?: boolean;
      output_tokens: number | null;
      endpoint: string;
    };
    const endpoint = options.endpoint.endsWith("chat/completions") ? "chat-completions" : "completions";
    const built = config("http://127.0.0.1:1", {
      ...(options.ignore_eos === undefined ? {} : { ignoreEos: options.ignore_eos }),
      ...(options.output_tokens === null ? {} : { outputLen: options.output_tokens }),
    });
    const target = createHttpTarget({
      root: "http://127.0.0.1:1",
      endpoint,
      apiKey: null,
      model: "m",
      fields: requestFields(built),
      templateKwargs: {},
      timeoutMs: 1000,
      timeline: startTimeline(monotonicClock),
    });
    const body = target.describe(
      target.prepare({ id: "p", kind: "text", text: "hi", addSpecialTokens: true }),
    );
    const holds = (part: object): boolean =>
      Object.entries(part).every(([key, value]) => body[key] === value);
    const {
      body_has: has = {},
      body_one_of: oneOf = [{}],
      body_must_not_have_keys: not = [],
    } = expected as {
      body_has?: object;
      body_one_of?: object[];
      body_must_not_have_keys?: string[];
    };
    expect(body).toMatchObject(has);
    expect(oneOf.some(holds)).toBe(true);
    expect(Object.keys(body).filter((key) => not.includes(key))).toEqual([]);
    const { body_has_key_or_refuses: needed = "max_tokens" } = expected as {
      body_has_key_or_refuses?: string;
    };
    expect(body).toHaveProperty(needed);
  });

  it.each(ofKind("tokenizer"))("$id", ({ input, expected }) => {
    const messages = input["messages"] as Row[];
    expect(applyChatTemplate(String(input["template"]), { messages }).text).toBe(expected["text_to_count"]);
  });
});
