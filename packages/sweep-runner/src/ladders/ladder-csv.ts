import type { StepLine } from "../sweep/sweep-journal.ts";

/** Columns of a context ladder, under the names of the comparator's published file. */
const CONTEXT: readonly (readonly [column: string, field: string])[] = [
  ["temperature", "temperature"],
  ["ctx_target", "contextTarget"],
  ["prompt_tokens", "promptTokens"],
  ["prefill_tok_s", "prefillTokensPerS"],
  ["gen_tok_s", "decodeTokensPerS"],
  ["accepted_per_pass", "acceptedPerPass"],
  ["saturation", "saturation"],
  ["cold_ttft_s", "coldTtftS"],
  ["warm_ttft_s", "warmTtftS"],
  ["prefill_bytes_s", "prefillBytesPerS"],
  ["gen_bytes_s", "decodeBytesPerS"],
  ["out_tokens", "outputTokens"],
  ["reps", "reps"],
];

const CONCURRENCY: readonly (readonly [column: string, field: string])[] = [
  ["streams", "streams"],
  ["agg_tok_s", "aggregateTokensPerS"],
  ["per_stream_tok_s", "perStreamTokensPerS"],
  ["ttft_med_s", "ttftMedianS"],
  ["accepted_per_pass", "acceptedPerPass"],
  ["out_tokens_total", "outputTokensTotal"],
  ["reps", "reps"],
];

const COLUMNS: Readonly<Record<string, typeof CONTEXT>> = { context: CONTEXT, concurrency: CONCURRENCY };

/**
 * The rows of a ladder as CSV (RFC 4180). Context and concurrency ladders have the comparator's columns; other sweeps have
 * the values of their axes and every figure that is a number. What is unknown is empty.
 */
export function ladderCsv(lines: readonly StepLine[]): string {
  const rows = lines.flatMap(({ id, boot, values, startedAt, row }) =>
    isObject(row) ? [{ id, boot, values, date: startedAt.slice(0, 10), row }] : [],
  );
  const kind = rows[0]?.row["kind"];
  const columns = typeof kind === "string" ? COLUMNS[kind] : undefined;
  if (columns !== undefined) {
    const header = ["step", "boot", ...columns.map(([column]) => column), "date"];
    return csv([
      header,
      ...rows.map(({ id, boot, row, date }) => [
        id,
        boot,
        ...columns.map(([, field]) => cell(row[field])),
        date,
      ]),
    ]);
  }
  const axes = [...new Set(rows.flatMap(({ values }) => Object.keys(values)))];
  const figures = [
    ...new Set(rows.flatMap(({ row }) => Object.keys(row).filter((key) => isPlain(row[key])))),
  ];
  return csv([
    ["step", "boot", ...axes, ...figures, "date"],
    ...rows.map(({ id, boot, values, row, date }) => [
      id,
      boot,
      ...axes.map((axis) => cell(values[axis])),
      ...figures.map((figure) => cell(row[figure])),
      date,
    ]),
  ]);
}

function isObject(
  row: StepLine["row"],
): row is Exclude<StepLine["row"], string | number | boolean | null | readonly unknown[]> {
  return typeof row === "object" && row !== null && !Array.isArray(row);
}

function isPlain(value: unknown): boolean {
  return (
    value === null || typeof value === "number" || typeof value === "string" || typeof value === "boolean"
  );
}

/** Lengths of several outputs stand as their median, as the comparator has them. */
function cell(value: unknown): string | number | boolean {
  if (typeof value === "number") return Number.isInteger(value) ? value : Number(value.toPrecision(6));
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (!Array.isArray(value)) return "";
  const numbers = value.filter((one) => typeof one === "number").toSorted((a, b) => a - b);
  return numbers[Math.floor((numbers.length - 1) / 2)] ?? "";
}

function csv(rows: readonly (readonly (string | number | boolean)[])[]): string {
  const quoted = (value: string | number | boolean): string => {
    const text = String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => `${row.map(quoted).join(",")}\r\n`).join("");
}
