import type { StepLine } from "@onpar/sweep-runner";

/** One column of a table of rungs: heading, and what a row has there. */
interface Column {
  readonly heading: string;
  readonly cell: (line: StepLine) => string;
}

type Row = Readonly<Record<string, unknown>>;

function rowOf({ row }: StepLine): Row {
  return typeof row === "object" && row !== null && !Array.isArray(row) ? row : {};
}

function figure(heading: string, field: string, show: (value: number) => string): Column {
  return {
    heading,
    cell: (line) => {
      const value = rowOf(line)[field];
      return typeof value === "number" ? show(value) : "-";
    },
  };
}

const whole = (value: number): string => value.toFixed(0);
const one = (value: number): string => value.toFixed(1);
const two = (value: number): string => value.toFixed(2);
const seconds = (value: number): string => `${value.toFixed(3)} s`;
const ms = (value: number): string => `${value.toFixed(1)} ms`;
const share = (value: number): string => `${(value * 100).toFixed(1)} %`;

/** Output lengths stand beside every rate, with how the outputs ended. */
const lengths: Column = {
  heading: "outputs",
  cell: (line) => {
    const { outputTokens, finishReasons } = rowOf(line);
    const known = Array.isArray(outputTokens) ? outputTokens.filter((n) => typeof n === "number") : [];
    const range = Array.isArray(outputTokens)
      ? known.length === 0
        ? "-"
        : rangeOf(Math.min(...known), Math.max(...known))
      : isLengths(outputTokens)
        ? rangeOf(outputTokens.min, outputTokens.max)
        : "-";
    const ends =
      typeof finishReasons === "object" && finishReasons !== null
        ? Object.entries(finishReasons).map(([reason, count]) => `${reason} ${String(count)}`)
        : [];
    return ends.length === 0 ? range : `${range}, ${ends.join(" ")}`;
  },
};

const rangeOf = (least: number, most: number): string => (least === most ? `${least}` : `${least}-${most}`);

function isLengths(value: unknown): value is { readonly min: number; readonly max: number } {
  return typeof value === "object" && value !== null && "min" in value && "max" in value;
}

const acceptance = [
  figure("per pass", "acceptedPerPass", two),
  figure("acceptance", "acceptanceRate", share),
  figure("saturation", "saturation", share),
];

const COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  context: [
    figure("prompt", "promptTokens", whole),
    figure("cold TTFT", "coldTtftS", seconds),
    figure("warm TTFT", "warmTtftS", seconds),
    figure("prefill tok/s", "prefillTokensPerS", one),
    figure("decode tok/s", "decodeTokensPerS", one),
    lengths,
    ...acceptance,
  ],
  concurrency: [
    figure("streams", "streams", whole),
    figure("aggregate tok/s", "aggregateTokensPerS", one),
    figure("per stream", "perStreamTokensPerS", one),
    figure("TTFT p50", "ttftMedianS", seconds),
    lengths,
    ...acceptance,
  ],
  "fixed-output": [
    figure("prompt", "promptTokens", whole),
    figure("exact", "exact", whole),
    figure("cold TTFT", "coldTtftS", seconds),
    figure("decode tok/s", "decodeTokensPerS", one),
    lengths,
    ...acceptance,
  ],
  run: [
    figure("ok", "ok", whole),
    figure("TTFT p50", "ttftP50Ms", ms),
    figure("p99", "ttftP99Ms", ms),
    figure("TPOT p50", "tpotP50Ms", ms),
    figure("output tok/s", "outputTokensPerS", one),
    figure("decode tok/s", "decodeTokensPerS", one),
    lengths,
    figure("goodput", "goodput", share),
    ...acceptance,
  ],
  content: [
    figure("ok", "ok", whole),
    figure("decode tok/s", "decodeTokensPerS", one),
    lengths,
    ...acceptance,
    figure("effective/step", "effectiveTokensPerStep", two),
  ],
};

/**
 * The rungs of a sweep as lines of text: the point, its figures, and what speaks against them. Columns that no rung has a value
 * for are left out; a rung that failed says why.
 */
export function sweepTable(lines: readonly StepLine[]): string {
  const kind = lines.map((line) => rowOf(line)["kind"]).find((name) => typeof name === "string") ?? "run";
  const all = COLUMNS[kind] ?? COLUMNS["run"] ?? [];
  const columns = all.filter(({ cell }) => lines.some((line) => cell(line) !== "-"));
  const rows = [
    ["point", ...columns.map(({ heading }) => heading)],
    ...lines.map((line) => [line.id, ...columns.map(({ cell }) => cell(line))]),
  ];
  const widths = (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => (row[index] ?? "").length)));
  const table = rows.map((row) =>
    row
      .map((cell, index) =>
        index === 0 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0),
      )
      .join("  ")
      .trimEnd(),
  );
  return [...table, ...lines.flatMap(remarks)].map((line) => `${line}\n`).join("");
}

function remarks(line: StepLine): string[] {
  const { failed, breaches, warnings, shortDropped } = rowOf(line);
  const said: string[] = [];
  if (line.error !== null) said.push(line.error.message);
  if (typeof failed === "number" && failed > 0 && line.error?.code !== "NOTHING_MEASURED")
    said.push(`${failed} requests failed`);
  if (typeof shortDropped === "number" && shortDropped > 0) {
    said.push(`${shortDropped} outputs with fewer than 8 tokens are in no rate`);
  }
  if (Array.isArray(breaches) && breaches.length > 0) said.push(`not as stated: ${breaches.join(", ")}`);
  if (Array.isArray(warnings) && warnings.length > 0) said.push(`warnings: ${warnings.join(", ")}`);
  return said.map((text) => `${line.id}: ${text}`);
}

/** What the exit code of a sweep depends on. */
export function sweepTrouble(lines: readonly StepLine[]): {
  readonly breached: boolean;
  readonly failed: boolean;
} {
  return {
    breached: lines.some((line) => {
      const { breaches } = rowOf(line);
      return Array.isArray(breaches) && breaches.length > 0;
    }),
    failed: lines.some((line) => {
      const { failed } = rowOf(line);
      return line.status === "failed" || (typeof failed === "number" && failed > 0);
    }),
  };
}
