import { benchConfigSchema, type BenchConfigInput } from "@onpar/bench-config";
import { runBench } from "../src/run-bench.ts";
import type { RunResult } from "../src/result.ts";
import type { RequestRecord } from "../src/record.ts";

/** What a run used of this machine while it measured. */
export interface Used {
  readonly cpuS: number;
  readonly wallS: number;
  readonly peakMiB: number;
  readonly result: RunResult;
}

/** Takes a run against a timetable server, with the CPU time of its measured phase: all threads of this process. */
export async function measured(
  baseUrl: string,
  input: BenchConfigInput,
  onRecord: (record: RequestRecord) => void = () => {},
): Promise<Used> {
  const config = benchConfigSchema.parse({
    inputLen: 16,
    requestTimeoutMs: 120_000,
    ...input,
    target: { baseUrl },
  });
  let cpu = process.cpuUsage();
  let startMs = 0;
  let used = { cpuS: 0, wallS: 0 };
  let peak = 0;
  const result = await runBench({
    config,
    apiKey: null,
    engine: null,
    toolVersion: "bench",
    observer: {
      onEvent(event) {
        if (event.type === "phase-started" && event.phase === "measure") {
          cpu = process.cpuUsage();
          startMs = performance.now();
        }
        if (event.type !== "request-finished") return;
        onRecord(event.record);
        if (event.done % 4096 === 0) peak = Math.max(peak, process.memoryUsage.rss());
        if (event.record.phase !== "measure" || event.done < event.total) return;
        const { user, system } = process.cpuUsage(cpu);
        used = { cpuS: (user + system) / 1e6, wallS: (performance.now() - startMs) / 1000 };
      },
    },
  });
  return { ...used, peakMiB: Math.max(peak, process.memoryUsage.rss()) / 2 ** 20, result };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

/** A line that says whether a figure keeps its limit. */
export function verdict(what: string, value: number, bound: "at least" | "at most", limit: number): string {
  const kept = bound === "at least" ? value >= limit : value <= limit;
  const plain = (one: number): string => (one >= 1000 ? thousands(one) : one.toFixed(2));
  return `${kept ? "PASS" : "MISS"}: ${what} ${plain(value)}, ${bound} ${plain(limit)}`;
}

export const thousands = (value: number): string => Math.round(value).toLocaleString("en-US");
