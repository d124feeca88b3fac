import type { PartialProtocol } from "@onpar/bench-config";

import { figures, point, single, statistics } from "../result/make.ts";
import type { Figure, Point } from "../result/schema.ts";
import { imported, scaled, type Importer } from "./fields.ts";
import { endpointOfBackend, loadOfRate, rateOf } from "./load.ts";

/** A block begins with a title between rows of `=`. */
const TITLE = /^=+ +(.*Benchmark Result) +=+\s*$/;
/** `Name (unit):   value`, in columns. */
const LINE = /^(.+?):\s+(\S.*?)\s*$/;

type Values = ReadonlyMap<string, string>;

/** Whether a text holds a block of figures as `vllm bench serve`, vllm-bench or `sglang.bench_serving` print it. */
export function isBenchText(text: string): boolean {
  return text.split("\n").some((line) => TITLE.test(line));
}

/** The blocks of figures in a terminal's text, a log or a page: one point each. */
export const importBenchText: Importer = (text, name) => {
  const blocks: { title: string; values: Map<string, string> }[] = [];
  for (const line of text.split("\n")) {
    const title = TITLE.exec(line)?.[1];
    if (title !== undefined) blocks.push({ title, values: new Map() });
    const [, key, value] = LINE.exec(line) ?? [];
    if (key !== undefined && value !== undefined) blocks.at(-1)?.values.set(key.toLowerCase(), value);
  }
  const isOwn = blocks.some(({ title }) => title.startsWith("vllm.cpp"));
  return imported({
    format: "bench-text",
    tool: isOwn ? "vllm-bench" : "vllm bench serve or sglang.bench_serving",
    name,
    protocol: {},
    points: blocks.map(({ title, values }) => pointOf(values, title.startsWith("vllm.cpp"))),
    notes: [
      "Read from text that was printed for people: figures are rounded as printed, and what the block does not print is unknown.",
    ],
  });
};

function pointOf(values: Values, isInProcess: boolean): Point {
  const rate = rateOf(textOf(values, "request rate configured (rps)", "traffic request rate"));
  const concurrency = wholeOf(values, "maximum request concurrency", "max request concurrency");
  const metric = (name: string, ...others: readonly string[]): Figure | null => {
    const of = (statistic: string) =>
      numberOf(values, ...[name, ...others].map((one) => `${statistic} ${one} (ms)`));
    return statistics({
      mean: of("mean"),
      p50: of("median") ?? of("p50"),
      p90: of("p90"),
      p95: of("p95"),
      p99: of("p99"),
      std: of("std"),
    });
  };
  const whole = (...keys: readonly string[]): Figure | null => single(numberOf(values, ...keys), "whole run");
  const drafted = wholeOf(values, "draft tokens", "draft tokens proposed");
  const acceptedTokens = wholeOf(values, "accepted tokens", "draft tokens accepted");
  const ok = wholeOf(values, "successful requests");
  const failed = wholeOf(values, "failed requests");
  return point({
    at: { concurrency, ratePerS: rate === "inf" ? null : rate },
    protocol: protocolOf(values, isInProcess, { rate, concurrency }),
    counts: { asked: ok === null || failed === null ? null : ok + failed, ok, failed },
    durationS: numberOf(values, "benchmark duration (s)"),
    totalPromptTokens: wholeOf(values, "total input tokens"),
    totalOutputTokens: wholeOf(values, "total generated tokens"),
    acceptance:
      drafted === null && acceptedTokens === null
        ? null
        : {
            verifySteps: wholeOf(values, "drafts"),
            draftTokens: drafted,
            acceptedTokens,
            draftBudget: null,
            perPositionRate: positionsOf(values),
            effectiveTokensPerStep: null,
            source: isInProcess ? "engine-counters" : "metrics-delta",
          },
    figures: figures({
      ttftMs: metric("ttft"),
      tpotMs: metric("tpot"),
      itlChunkMs: metric("itl"),
      e2elMs: metric("e2el", "e2e latency"),
      outputTokensPerS: whole("output token throughput (tok/s)"),
      inputTokensPerS: whole("input token throughput (tok/s)"),
      totalTokensPerS: whole("total token throughput (tok/s)"),
      requestsPerS: whole("request throughput (req/s)"),
      peakOutputTokensPerS: whole("peak output token throughput (tok/s)"),
      goodput: whole("request goodput (req/s)"),
      meanConcurrency: whole("concurrency"),
      acceptanceRate: single(
        scaled(numberOf(values, "acceptance rate (%)"), 0.01) ??
          numberOf(values, "acceptance rate (accepted/proposed)"),
        "whole run",
      ),
      acceptanceLength: whole("acceptance length", "accept length"),
    }),
  });
}

function protocolOf(
  values: Values,
  isInProcess: boolean,
  load: { readonly rate: number | "inf" | null; readonly concurrency: number | null },
): PartialProtocol {
  const ignoresEos = textOf(values, "ignore eos (resolved sampling)");
  const kvDtype = textOf(values, "kv cache dtype (resolved storage)");
  return {
    endpoint: isInProcess ? "engine" : endpointOfBackend(textOf(values, "backend")),
    stoppingRule: ignoresEos === null ? null : { name: ignoresEos === "1" ? "ignore-eos" : "eos" },
    model: kvDtype === null ? null : { kvDtype },
    load:
      load.rate === null && load.concurrency === null
        ? null
        : loadOfRate({
            rate: load.rate ?? (isInProcess ? "inf" : null),
            burstiness: null,
            maxConcurrency: load.concurrency,
            prompts: null,
          }),
    engine: isInProcess ? { name: "vllm.cpp" } : null,
    counting: { rateConventions: ["vllm"] },
  };
}

function positionsOf(values: Values): number[] | null {
  const shares: number[] = [];
  for (;;) {
    const share = numberOf(values, `position ${shares.length}`);
    if (share === null) break;
    shares.push(share / 100);
  }
  return shares.length === 0 ? null : shares.map((share) => Number(share.toPrecision(12)));
}

function textOf(values: Values, ...keys: readonly string[]): string | null {
  for (const key of keys) {
    const value = values.get(key) ?? values.get(`  ${key}`);
    if (value !== undefined) return value;
  }
  return null;
}

function numberOf(values: Values, ...keys: readonly string[]): number | null {
  const text = textOf(values, ...keys);
  if (text === null) return null;
  const value = Number(text.replaceAll(",", "").replace(/\s*(?:ms|s|%)$/, ""));
  return Number.isFinite(value) ? value : null;
}

function wholeOf(values: Values, ...keys: readonly string[]): number | null {
  const value = numberOf(values, ...keys);
  return value !== null && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
