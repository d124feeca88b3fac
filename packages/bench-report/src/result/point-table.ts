import { formatNumber, formatPercent } from "../format.ts";
import { FIGURES, type FigureName } from "./figures.ts";
import { errorRateOf } from "./make.ts";
import { readPart } from "./protocol-parts.ts";
import type { Figure, Point, Result } from "./schema.ts";

/** Points as rows of text, with the columns of which at least one point knows something. */
export interface PointTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Which statistic the figures are: `TTFT · TPOT: p50; output throughput: whole run`. Empty where no source says. */
  readonly note: string;
}

interface ColumnOf {
  readonly head: string;
  readonly cell: (point: Point, result: Result) => string | null;
}

/** Figures of the table, in order; further ones stand in the JSON and in the HTML report. */
const SHOWN: readonly FigureName[] = [
  "ttftMs",
  "coldTtftMs",
  "warmTtftMs",
  "tpotMs",
  "e2elMs",
  "decodeCtxsweep",
  "decodeVllm",
  "prefill",
  "outputTokensPerS",
  "requestsPerS",
  "acceptanceLength",
  "acceptanceRate",
  "saturation",
];

const WHERE: readonly ColumnOf[] = [
  { head: "profile", cell: ({ at }) => at.profile },
  { head: "context", cell: ({ at }) => text(at.contextTokens) },
  { head: "in flight", cell: ({ at }) => text(at.concurrency) },
  { head: "req/s asked", cell: ({ at }) => text(at.ratePerS) },
  { head: "temperature", cell: ({ at }) => text(at.temperature) },
  { head: "boot", cell: ({ at }) => text(at.boot) },
];

const COUNTED: readonly ColumnOf[] = [
  {
    head: "ok/asked",
    cell: ({ counts }) =>
      counts.ok === null && counts.asked === null ? null : `${counts.ok ?? "?"}/${counts.asked ?? "?"}`,
  },
  {
    head: "errors",
    cell: (point) => (errorRateOf(point) === null ? null : formatPercent(errorRateOf(point) ?? 0)),
  },
  { head: "reps", cell: ({ reps }) => text(reps) },
  { head: "prompt tok", cell: ({ promptTokens }) => span(promptTokens) },
  { head: "out tok", cell: ({ outputTokens }) => span(outputTokens) },
  { head: "rule", cell: (point, result) => readPart(result, point, "stoppingRule")?.name ?? null },
];

/** All points of a result as a table of text. Output lengths and the rule stand before every rate. */
export function pointTable(result: Result): PointTable {
  const columns = [...WHERE, ...COUNTED, ...SHOWN.map(figureColumn)].filter(({ cell }) =>
    result.points.some((point) => cell(point, result) !== null),
  );
  return {
    head: columns.map(({ head }) => head),
    rows: result.points.map((point) => columns.map(({ cell }) => cell(point, result) ?? "-")),
    note: statisticsOf(result),
  };
}

function statisticsOf({ points }: Result): string {
  const labels = new Map<string, string[]>();
  for (const name of SHOWN) {
    const told = points.flatMap(({ figures }) => figures[name] ?? []).find(({ value }) => value !== null);
    if (told === undefined || told.statistic === "single value") continue;
    const of = labels.get(told.statistic) ?? [];
    labels.set(told.statistic, [...of, FIGURES[name].label]);
  }
  return [...labels].map(([statistic, of]) => `${of.join(" · ")}: ${statistic}`).join("; ");
}

function figureColumn(name: FigureName): ColumnOf {
  const { label, unit } = FIGURES[name];
  const suffix = unit === "share" || unit === "tokens" || unit === "requests" ? "" : `, ${unit}`;
  return {
    head: `${label}${suffix}`,
    cell: ({ figures }) => {
      const value = figures[name]?.value ?? null;
      return value === null ? null : unit === "share" ? formatPercent(value) : formatNumber(value);
    },
  };
}

/** `min/p50/max`, or the one value that is known. */
export function span(of: Figure | null): string | null {
  if (of === null || of.value === null) return null;
  if (of.min === null || of.max === null) return formatNumber(of.value);
  return of.min === of.max ? formatNumber(of.value) : [of.min, of.value, of.max].map(formatNumber).join("/");
}

function text(value: number | string | null): string | null {
  return value === null ? null : String(value);
}
