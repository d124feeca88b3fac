import { MetricsError } from "../errors.ts";
import { isRecord } from "../json.ts";
import type { MetricFamily, MetricSample, MetricsPage, MetricType } from "./sample.ts";

/** One iteration of TensorRT-LLM's engine, as `GET /metrics` of trtllm-serve lists it. What is not told is null. */
export interface IterationStats {
  readonly iter: number | null;
  readonly active: number | null;
  readonly queued: number | null;
  readonly completed: number | null;
  /** Share of the KV cache's blocks in use, 0 to 1. */
  readonly kvUsage: number | null;
  /** D, A and V of this iteration; V counts the requests that held draft tokens. */
  readonly drafted: number | null;
  readonly accepted: number | null;
  readonly verifySteps: number | null;
  /** Frames that the server threw away before this one, because nobody read them. */
  readonly dropped: number | null;
}

const MOST_ITERATIONS = 100_000;

/**
 * Reads TensorRT-LLM's list of iterations. Reading the page takes them away from the server, so each is seen once.
 *
 * @throws {MetricsError} `EXPOSITION_INVALID` when an element is no iteration, `EXPOSITION_TOO_LARGE`
 */
export function parseIterationStats(list: readonly unknown[]): IterationStats[] {
  if (list.length > MOST_ITERATIONS) {
    throw new MetricsError(
      "EXPOSITION_TOO_LARGE",
      `the list holds ${list.length} iterations; the limit is ${MOST_ITERATIONS}`,
    );
  }
  return list.map((element, index) => {
    if (
      !isRecord(element) ||
      !("iter" in element || "iterLatencyMS" in element || "numActiveRequests" in element)
    ) {
      throw new MetricsError(
        "EXPOSITION_INVALID",
        `element ${index} of the JSON list is no iteration of TensorRT-LLM`,
      );
    }
    return iterationOf(element);
  });
}

function iterationOf(element: Record<string, unknown>): IterationStats {
  const spec = isRecord(element["specDecodingStats"]) ? element["specDecodingStats"] : {};
  const kv = isRecord(element["kvCacheStats"]) ? element["kvCacheStats"] : {};
  const blocks = numberOf(kv["maxNumBlocks"]);
  const used = numberOf(kv["usedNumBlocks"]);
  return {
    iter: numberOf(element["iter"]),
    active: numberOf(element["numActiveRequests"]),
    queued: numberOf(element["numQueuedRequests"]),
    completed: numberOf(element["numCompletedRequests"]),
    kvUsage: blocks === null || used === null || blocks === 0 ? null : used / blocks,
    drafted: numberOf(spec["numDraftTokens"]),
    accepted: numberOf(spec["numAcceptedTokens"]),
    verifySteps: numberOf(spec["numRequestsWithDraftTokens"]),
    dropped: numberOf(element["statsDroppedFrames"]),
  };
}

/**
 * A page of the iterations: their sums as counters, and the last one's load as gauges, under the names of TensorRT-LLM's own
 * Prometheus page where it has one.
 */
export function pageOfIterations(iterations: readonly IterationStats[]): MetricsPage {
  const families = new Map<string, MetricFamily>();
  const samples: MetricSample[] = [];
  const add = (name: string, type: MetricType, value: number | null): void => {
    if (value === null) return;
    families.set(name, { type, help: null });
    samples.push({ name, type, value, labels: {}, timestampMs: null });
  };
  const sum = (read: (stats: IterationStats) => number | null): number | null => {
    const told = iterations.map(read).filter((value) => value !== null);
    return told.length === 0 ? null : told.reduce((total, value) => total + value, 0);
  };
  const last = iterations.at(-1);
  add("trtllm_num_requests_running", "gauge", last?.active ?? null);
  add("trtllm_num_requests_waiting", "gauge", last?.queued ?? null);
  add("trtllm_kv_cache_utilization", "gauge", last?.kvUsage ?? null);
  add(
    "trtllm_num_requests_completed_total",
    "counter",
    sum((stats) => stats.completed),
  );
  add(
    "trtllm_spec_decode_num_draft_tokens_total",
    "counter",
    sum((stats) => stats.drafted),
  );
  add(
    "trtllm_spec_decode_num_accepted_tokens_total",
    "counter",
    sum((stats) => stats.accepted),
  );
  add(
    "trtllm_json_requests_with_draft_tokens_total",
    "counter",
    sum((stats) => stats.verifySteps),
  );
  add("trtllm_json_iterations_total", "counter", iterations.length);
  add("trtllm_json_dropped_frames_total", "counter", droppedFrames(iterations));
  return { samples, families, ending: "eof-mark" };
}

/** What the server says that it threw away, else the gaps in the iterations' numbers; null when neither tells. */
function droppedFrames(iterations: readonly IterationStats[]): number | null {
  const told = iterations.map(({ dropped }) => dropped).filter((dropped) => dropped !== null);
  if (told.length > 0) return Math.max(...told) - Math.min(...told);
  let gaps = 0;
  for (let index = 1; index < iterations.length; index++) {
    const [before, here] = [iterations[index - 1]?.iter ?? null, iterations[index]?.iter ?? null];
    if (before === null || here === null) return null;
    gaps += Math.max(0, here - before - 1);
  }
  return gaps;
}

function numberOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}
