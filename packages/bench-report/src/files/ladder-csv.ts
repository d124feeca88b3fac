import { readPart } from "../result/protocol-parts.ts";
import type { FigureName } from "../result/figures.ts";
import type { Point, Result } from "../result/schema.ts";
import { csvText } from "./csv-text.ts";

/** Columns of the comparator's context ladder, in its order and its units. */
export const CONTEXT_COLUMNS = [
  "config",
  "boot",
  "temperature",
  "ctx_target",
  "prompt_tokens",
  "prefill_tok_s",
  "gen_tok_s",
  "accepted_per_pass",
  "saturation",
  "cold_ttft_s",
  "warm_ttft_s",
  "prefill_bytes_s",
  "gen_bytes_s",
  "out_tokens",
  "reps",
  "date",
] as const;

/** Columns of the comparator's concurrency ladder. */
export const CONCURRENCY_COLUMNS = [
  "profile",
  "max_running",
  "mem_fraction",
  "streams",
  "agg_tok_s",
  "per_stream_tok_s",
  "ttft_med_s",
  "accepted_per_pass",
  "out_tokens_total",
  "reps",
  "date",
] as const;

/** Columns that follow: what the comparator's tables do not say and a rate cannot be read without. */
const BESIDE_COLUMNS = [
  "stopping_rule",
  "output_cap",
  "out_tokens_min",
  "out_tokens_max",
  "asked",
  "ok",
  "failed",
  "endpoint",
  "requests_in_flight",
  "ttft_ms_p50",
  "ttft_ms_p99",
  "tpot_ms_p50",
  "tpot_ms_p99",
  "output_tok_s",
  "acceptance_rate",
] as const;

type Cell = string | number | null;

/**
 * One row per point, with the columns of the comparator's context ladder first and in its units, then those that say under
 * what they were taken. What is not known is an empty cell.
 */
export function contextLadderCsv(
  result: Result,
  { beside = true }: { readonly beside?: boolean } = {},
): string {
  const rows = result.points.map((point) => [
    ...contextCells(result, point),
    ...(beside ? besideCells(result, point) : []),
  ]);
  return csvText([...CONTEXT_COLUMNS, ...(beside ? BESIDE_COLUMNS : [])], rows);
}

/** The same for a concurrency ladder. */
export function concurrencyLadderCsv(
  result: Result,
  { beside = true }: { readonly beside?: boolean } = {},
): string {
  const rows = result.points.map((point) => [
    ...concurrencyCells(point),
    ...(beside ? besideCells(result, point) : []),
  ]);
  return csvText([...CONCURRENCY_COLUMNS, ...(beside ? BESIDE_COLUMNS : [])], rows);
}

/** Whether the points of a result are told apart by their concurrency and not by their context. */
export function isConcurrencyLadder({ points }: Result): boolean {
  const distinct = (values: readonly (number | null)[]) =>
    new Set(values.filter((value) => value !== null)).size;
  const contexts = distinct(points.map(({ at }) => at.contextTokens));
  return distinct(points.map(({ at }) => at.concurrency)) > 1 && contexts <= 1;
}

function contextCells(result: Result, point: Point): Cell[] {
  const { at } = point;
  return [
    at.profile ?? point.label ?? result.title,
    at.boot,
    at.temperature,
    at.contextTokens,
    round(point.promptTokens?.value ?? null, 0),
    round(valueOf(point, "prefill"), 1),
    round(valueOf(point, "decodeCtxsweep"), 2),
    round(valueOf(point, "acceptanceLength"), 3),
    round(valueOf(point, "saturation"), 3),
    round(seconds(valueOf(point, "coldTtftMs")), 3),
    round(seconds(valueOf(point, "warmTtftMs")), 3),
    round(valueOf(point, "prefillBytesPerS"), 1),
    round(valueOf(point, "decodeBytesPerS"), 1),
    round(point.outputTokens?.value ?? null, 0),
    point.reps ?? point.counts.ok,
    dayOf(point.date),
  ];
}

function concurrencyCells(point: Point): Cell[] {
  const { at } = point;
  return [
    at.profile ?? point.label,
    point.server?.["max_running"] ?? null,
    point.server?.["mem_fraction"] ?? null,
    at.concurrency,
    round(valueOf(point, "outputTokensPerS"), 2),
    round(valueOf(point, "decodeCtxsweep"), 2),
    round(seconds(valueOf(point, "ttftMs")), 3),
    round(valueOf(point, "acceptanceLength"), 3),
    point.totalOutputTokens,
    point.reps ?? point.counts.ok,
    dayOf(point.date),
  ];
}

function besideCells(result: Result, point: Point): Cell[] {
  const rule = readPart(result, point, "stoppingRule");
  return [
    rule?.name ?? null,
    rule?.cap ?? null,
    point.outputTokens?.min ?? null,
    point.outputTokens?.max ?? null,
    point.counts.asked,
    point.counts.ok,
    point.counts.failed,
    readPart(result, point, "endpoint") ?? null,
    at4(valueOf(point, "meanConcurrency") ?? point.at.concurrency),
    at4(point.figures.ttftMs?.p50 ?? null),
    at4(point.figures.ttftMs?.p99 ?? null),
    at4(point.figures.tpotMs?.p50 ?? null),
    at4(point.figures.tpotMs?.p99 ?? null),
    at4(valueOf(point, "outputTokensPerS")),
    at4(valueOf(point, "acceptanceRate")),
  ];
}

function valueOf({ figures }: Point, name: FigureName): number | null {
  return figures[name]?.value ?? null;
}

function seconds(ms: number | null): number | null {
  return ms === null ? null : ms / 1000;
}

function round(value: number | null, decimals: number): number | null {
  return value === null ? null : Number(value.toFixed(decimals));
}

function at4(value: number | null): number | null {
  return value === null ? null : Number(value.toPrecision(4));
}

function dayOf(date: string | null): string | null {
  return date === null ? null : (/^\d{4}-\d{2}-\d{2}/.exec(date)?.[0] ?? date);
}
