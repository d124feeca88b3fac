import type { PartialProtocol } from "@onpar/bench-config";

import { figure, figures, point, single } from "../result/make.ts";
import type { Figure, Point } from "../result/schema.ts";
import { countAt, imported, numberAt, scaled, textAt, type Fields, type Importer } from "./fields.ts";
import { columnsOf, readRows } from "./rows.ts";

const NOTES = [
  "The table does not state its protocol. What the harness fixes is told (preset ctxsweep: chat completions, EOS honoured, cap 512, thinking off, one request at a time, a nonce before each prompt); model, engine, hardware and prompts are unknown.",
  "out_tokens is one length per rung; shortest and longest output are unknown.",
];

/** What ctxsweep sends whatever it is pointed at. */
const PROTOCOL: PartialProtocol = {
  endpoint: "chat-completions",
  template: { mode: "server-side", kwargs: { enable_thinking: false, preserve_thinking: false } },
  stoppingRule: {
    name: "eos",
    cap: 512,
    stop: [],
    requested: { ignoreEos: false },
    sent: { max_tokens: 512 },
  },
  workload: { kind: "source-code", prompts: 1 },
  load: { kind: "closed-loop", concurrency: 1, warmupRequests: 0, durationS: "all" },
  cache: { policy: "nonce" },
  counting: { tokenSource: "usage", rateConventions: ["ctxsweep"] },
};

/** Every sampling value but the temperature is the server's own default. */
const UNSET = {
  topP: "unset",
  topK: "unset",
  minP: "unset",
  repetitionPenalty: "unset",
  presencePenalty: "unset",
  frequencyPenalty: "unset",
  seed: "unset",
} as const;

/** Whether a text is a table of ctxsweep, as CSV or as one JSON object per line. */
export function isCtxsweep(text: string): boolean {
  const start = text.trimStart();
  if (start.startsWith("{")) return /"ctx_target"\s*:/.test(start.split("\n", 1)[0] ?? "");
  const columns = columnsOf(text);
  return columns.has("ctx_target") && columns.has("gen_tok_s");
}

/** A context ladder of ctxsweep: one point per rung, boot and temperature. */
export const importCtxsweep: Importer = (text, name) => {
  const rows = readRows(text, name);
  const budget = draftBudgetOf(rows);
  return imported({
    format: "ctxsweep",
    tool: "ctxsweep",
    name,
    startedAt: textAt(rows[0] ?? null, "date"),
    protocol: {
      ...PROTOCOL,
      speculation: budget === null ? null : { draftBudget: budget, observed: true },
    },
    points: rows.map((row) => pointOf(row, budget)),
    notes: NOTES,
  });
};

function pointOf(row: Fields, draftBudget: number | null): Point {
  const temperature = numberAt(row, "temperature");
  const promptTokens = numberAt(row, "prompt_tokens");
  const length = numberAt(row, "accepted_per_pass");
  const perRep = (key: string): Figure | null => {
    const value = numberAt(row, key);
    return value === null ? null : figure({ value, statistic: "p50", p50: value });
  };
  const exact = (value: number | null): Figure | null =>
    value === null ? null : figure({ value, statistic: "single value", min: value, max: value, p50: value });
  return point({
    label: textAt(row, "config"),
    date: textAt(row, "date"),
    at: {
      profile: textAt(row, "config"),
      contextTokens: numberAt(row, "ctx_target"),
      concurrency: 1,
      temperature,
      boot: numberAt(row, "boot"),
    },
    protocol: {
      sampling: temperature === null ? null : { temperature, ...UNSET },
      workload: {
        ...PROTOCOL.workload,
        promptTokens:
          promptTokens === null ? null : { min: promptTokens, p50: promptTokens, max: promptTokens },
      },
      repetition: { reps: countAt(row, "reps") },
    },
    reps: countAt(row, "reps"),
    promptTokens: exact(promptTokens),
    outputTokens: single(numberAt(row, "out_tokens")),
    acceptance:
      length === null
        ? null
        : {
            verifySteps: null,
            draftTokens: null,
            acceptedTokens: null,
            draftBudget,
            perPositionRate: null,
            effectiveTokensPerStep: null,
            source: "sglang:spec_accept_length, or counters of the rung",
          },
    figures: figures({
      coldTtftMs: single(scaled(numberAt(row, "cold_ttft_s"), 1000)),
      warmTtftMs: single(scaled(numberAt(row, "warm_ttft_s"), 1000)),
      decodeCtxsweep: perRep("gen_tok_s"),
      decodeBytesPerS: perRep("gen_bytes_s"),
      prefill: single(numberAt(row, "prefill_tok_s")),
      prefillBytesPerS: single(numberAt(row, "prefill_bytes_s")),
      acceptanceLength: single(length),
      saturation: single(numberAt(row, "saturation")),
    }),
  });
}

/**
 * saturation is accepted per pass / most tokens of a pass, which is the draft budget and the bonus token: the whole number that
 * fits every row within its rounding, less one, or null.
 */
function draftBudgetOf(rows: readonly Fields[]): number | null {
  const pairs = rows.flatMap((row) => {
    const [length, saturation] = [numberAt(row, "accepted_per_pass"), numberAt(row, "saturation")];
    return length === null || saturation === null || saturation <= 0 ? [] : [{ length, saturation }];
  });
  const [first] = pairs;
  if (first === undefined) return null;
  const most = Math.round(first.length / first.saturation);
  const fits = pairs.every(({ length, saturation }) => Math.abs(length / most - saturation) < 0.001);
  return most > 1 && fits ? most - 1 : null;
}
