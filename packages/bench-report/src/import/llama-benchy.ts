import { figures, point } from "../result/make.ts";
import type { Figure, Point } from "../result/schema.ts";
import {
  countAt,
  fieldsAt,
  imported,
  listAt,
  numbersAt,
  parseObjects,
  statisticsAt,
  textAt,
  withValues,
  type Fields,
  type Importer,
} from "./fields.ts";

const NOTES = [
  "llama-benchy's prompt rate is prompt tokens / (first event - API latency), told as prefill for batches of one request.",
  "Its rates of a whole batch are over the decode time and not over the run, and are left out; the rates of single requests are told.",
  "llama-benchy's result does not say the stopping rule.",
];

/** Whether an object is a report of llama-benchy. */
export function isLlamaBenchy(of: Fields): boolean {
  return listAt(of, "benchmarks").some((one) => "tg_throughput" in one && "pp_throughput" in one);
}

/** llama-benchy's JSON: one point per depth, prompt, response and concurrency. */
export const importLlamaBenchy: Importer = (text, name) => {
  const [report = {}] = parseObjects(text, name);
  const model = textAt(report, "model");
  return imported({
    format: "llama-benchy",
    tool: "llama-benchy",
    version: textAt(report, "version"),
    name,
    startedAt: textAt(report, "timestamp"),
    protocol: {
      model: model === null ? null : { requested: model },
      endpoint: "chat-completions",
      counting: { rateConventions: ["vllm"] },
    },
    points: listAt(report, "benchmarks").map(pointOf),
    notes: NOTES,
  });
};

function pointOf(of: Fields): Point {
  const concurrency = countAt(of, "concurrency");
  const depth = countAt(of, "context_size");
  const prompt = countAt(of, "prompt_size");
  const isContextPhase = of["is_context_prefill_phase"] === true;
  return point({
    label: isContextPhase ? "loading the context" : null,
    at: {
      contextTokens: depth === null || prompt === null ? null : depth + prompt,
      concurrency,
      profile: isContextPhase ? "loading the context" : null,
    },
    protocol: { load: { kind: "closed-loop", concurrency, startTogether: true } },
    figures: figures({
      ttftMs: measured(of, "e2e_ttft"),
      decodeVllm: measured(of, "tg_req_throughput"),
      prefill: concurrency === 1 ? measured(of, "pp_req_throughput") : null,
    }),
  });
}

/** `{ mean, std, values }`: values are those of runs and requests, and pair with nothing. */
function measured(of: Fields, name: string): Figure | null {
  const metric = fieldsAt(of, name);
  return withValues(statisticsAt(metric, { mean: "mean", std: "std" }), numbersAt(metric, "values"));
}
