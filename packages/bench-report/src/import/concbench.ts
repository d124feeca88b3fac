import type { PartialProtocol } from "@onpar/bench-config";

import { figure, figures, point, single } from "../result/make.ts";
import type { Point } from "../result/schema.ts";
import { countAt, imported, numberAt, scaled, textAt, type Fields, type Importer } from "./fields.ts";
import { columnsOf, readRows } from "./rows.ts";

const NOTES = [
  "The table does not state its protocol. What the harness fixes is told (preset concbench: chat completions, EOS honoured, thinking off, as many requests as streams, started together); cap, model, engine, hardware and prompts are unknown.",
];

/** What concbench sends whatever it is pointed at. Its cap is not published. */
const PROTOCOL: PartialProtocol = {
  endpoint: "chat-completions",
  template: { mode: "server-side", kwargs: { enable_thinking: false, preserve_thinking: false } },
  stoppingRule: { name: "eos", cap: null, stop: [], requested: { ignoreEos: false } },
  workload: { kind: "source-code" },
  counting: { tokenSource: "usage", rateConventions: ["ctxsweep"] },
};

/** Whether a text is a table of concbench. */
export function isConcbench(text: string): boolean {
  const columns = columnsOf(text);
  return columns.has("streams") && columns.has("agg_tok_s");
}

/** A concurrency ladder of concbench: one point per profile and number of streams. */
export const importConcbench: Importer = (text, name) => {
  const rows = readRows(text, name);
  return imported({
    format: "concbench",
    tool: "concbench",
    name,
    startedAt: textAt(rows[0] ?? null, "date"),
    protocol: PROTOCOL,
    points: rows.map(pointOf),
    notes: NOTES,
  });
};

function pointOf(row: Fields): Point {
  const streams = countAt(row, "streams");
  const perStream = numberAt(row, "per_stream_tok_s");
  const ttft = scaled(numberAt(row, "ttft_med_s"), 1000);
  const length = numberAt(row, "accepted_per_pass");
  const median = (value: number | null) =>
    value === null ? null : figure({ value, statistic: "p50", p50: value });
  const settings = ["max_running", "mem_fraction"].flatMap((key) => {
    const value = numberAt(row, key);
    return value === null ? [] : [[key, value] as const];
  });
  return point({
    label: textAt(row, "profile"),
    date: textAt(row, "date"),
    at: { profile: textAt(row, "profile"), concurrency: streams },
    protocol: {
      load: { kind: "closed-loop", concurrency: streams, startTogether: true, durationS: "all" },
      workload: { ...PROTOCOL.workload, prompts: streams },
      repetition: { reps: countAt(row, "reps") },
    },
    server: settings.length === 0 ? null : Object.fromEntries(settings),
    reps: countAt(row, "reps"),
    totalOutputTokens: countAt(row, "out_tokens_total"),
    acceptance:
      length === null
        ? null
        : {
            verifySteps: null,
            draftTokens: null,
            acceptedTokens: null,
            draftBudget: null,
            perPositionRate: null,
            effectiveTokensPerStep: null,
            source: "sglang:spec_accept_length, or counters of the rung",
          },
    figures: figures({
      ttftMs: median(ttft),
      decodeCtxsweep: median(perStream),
      outputTokensPerS: single(numberAt(row, "agg_tok_s"), "whole run"),
      acceptanceLength: single(length),
    }),
  });
}
