import { decodeRateToEnd, decodeRateToLast, tpotVllm } from "./request-figures.ts";
import type { RequestTable } from "./request-table.ts";

const NS_PER_MS = 1e6;

/** A figure of one row; null when it is unknown. */
export type RowFigure = (table: RequestTable, row: number) => number | null;

const sum = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a + b);

/** The figures of one request, from its row: the same formulas as from its record. */
export const ROW_FIGURES = {
  ttft: (table, row) => table.ttft.get(row),
  firstAnswer: (table, row) => table.firstAnswer.get(row),
  e2el: (table, row) => table.e2el.get(row),
  queue: (table, row) => table.queue.get(row),
  connect: (table, row) => table.connect.get(row),
  ttftFromSchedule: (table, row) => sum(table.ttft.get(row), table.queue.get(row)),
  e2elFromSchedule: (table, row) => sum(table.e2el.get(row), table.queue.get(row)),
  tpot: (table, row) => tpotVllm(table.ttft.get(row), table.e2el.get(row), table.outputTokens.get(row)),
  decodeVllm: (table, row) =>
    decodeRateToLast(table.ttft.get(row), table.e2el.get(row), table.outputTokens.get(row)),
  decodeCtxsweep: (table, row) => {
    const sentNs = table.sentNs.get(row);
    const end = sentNs === null ? null : (table.endNs.at(row) - sentNs) / NS_PER_MS;
    return decodeRateToEnd(table.ttft.get(row), end, table.outputTokens.get(row), table.outputChunks.at(row));
  },
  outputTokens: (table, row) => table.outputTokens.get(row),
  promptTokens: (table, row) => table.promptTokens.get(row),
} as const satisfies Readonly<Record<string, RowFigure>>;
