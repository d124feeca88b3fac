import { figures, point, single, statistics } from "../result/make.ts";
import type { Figure, Point } from "../result/schema.ts";
import { countAt, fieldsAt, numberAt, scaled, textAt, type Fields } from "./fields.ts";

const MS_OF: Readonly<Record<string, number>> = {
  ms: 1,
  milliseconds: 1,
  s: 1000,
  sec: 1000,
  seconds: 1000,
  us: 0.001,
  microseconds: 0.001,
  ns: 1e-6,
  nanoseconds: 1e-6,
};

/** Metrics as aiperf and genai-perf write them, `{ unit, avg, p50, …, std }` by name, as a point. */
export function pointOfMetrics(of: Fields): Point {
  const whole = (name: string): Figure | null => single(averageOf(of, name), "whole run");
  const ok = whole4(averageOf(of, "request_count"));
  const failed = whole4(averageOf(of, "error_request_count"));
  return point({
    date: textAt(of, "start_time"),
    counts: { asked: ok === null || failed === null ? null : ok + failed, ok, failed },
    durationS: secondsOf(of, "benchmark_duration"),
    totalPromptTokens: sumOf(of, "input_sequence_length", "total_isl"),
    totalOutputTokens: sumOf(of, "output_sequence_length", "total_output_tokens"),
    promptTokens: distribution(of, "input_sequence_length", null),
    outputTokens: distribution(of, "output_sequence_length", null),
    figures: figures({
      ttftMs: distribution(of, "time_to_first_token", "ms"),
      firstAnswerMs: distribution(of, "time_to_first_output_token", "ms"),
      tpotMs: distribution(of, "inter_token_latency", "ms"),
      itlChunkMs: distribution(of, "inter_chunk_latency", "ms"),
      e2elMs: distribution(of, "request_latency", "ms"),
      decodeVllm: distribution(of, "output_token_throughput_per_user", null),
      outputTokensPerS: whole("output_token_throughput"),
      inputTokensPerS: whole("input_token_throughput"),
      totalTokensPerS: whole("total_token_throughput"),
      requestsPerS: whole("request_throughput"),
      goodput: whole("goodput"),
    }),
  });
}

/** @param unit `ms` converts by the unit that the metric states; null takes the values as they are */
function distribution(all: Fields, name: string, unit: "ms" | null): Figure | null {
  const of = fieldsAt(all, name);
  if (of === null) return null;
  const factor = unit === null ? 1 : MS_OF[textAt(of, "unit") ?? ""];
  // A time in a unit that nobody knows is not known.
  if (factor === undefined) return null;
  const at = (key: string): number | null => scaled(numberAt(of, key), factor);
  return statistics({
    n: countAt(of, "count"),
    mean: at("avg"),
    std: at("std"),
    min: at("min"),
    p50: at("p50"),
    p90: at("p90"),
    p95: at("p95"),
    p99: at("p99"),
    max: at("max"),
  });
}

function averageOf(all: Fields, name: string): number | null {
  return numberAt(fieldsAt(all, name), "avg") ?? numberAt(all, name);
}

function whole4(value: number | null): number | null {
  return value === null || value < 0 ? null : Math.round(value);
}

function secondsOf(all: Fields, name: string): number | null {
  const of = fieldsAt(all, name);
  const factor = MS_OF[textAt(of, "unit") ?? ""];
  const value = averageOf(all, name);
  return value === null || factor === undefined ? null : (value * factor) / 1000;
}

function sumOf(all: Fields, name: string, total: string): number | null {
  return countAt(fieldsAt(all, name), "sum") ?? whole4(averageOf(all, total));
}
