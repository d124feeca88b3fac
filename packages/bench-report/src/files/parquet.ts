import { ttftMs, e2elMs, tpotVllmMs, clientQueueMs, decodeRateCtxsweep } from "@onpar/sweep-runner";
import type { RequestRecord } from "@onpar/sweep-runner";
import { parquetWriteBuffer } from "hyparquet-writer";

/** Rows of a group; several groups let a reader skip what it does not need. */
const ROWS_PER_GROUP = 100_000;

type ColumnType = "STRING" | "INT32" | "INT64" | "DOUBLE";

interface ColumnOf {
  readonly name: string;
  readonly type: ColumnType;
  readonly of: (record: RequestRecord) => string | number | bigint | null;
}

const ns = (value: number | null): bigint | null => (value === null ? null : BigInt(Math.round(value)));

const COLUMNS: readonly ColumnOf[] = [
  { name: "id", type: "STRING", of: ({ id }) => id },
  { name: "prompt_id", type: "STRING", of: ({ promptId }) => promptId },
  { name: "phase", type: "STRING", of: ({ phase }) => phase },
  { name: "state", type: "STRING", of: ({ state }) => state },
  { name: "repetition", type: "INT32", of: ({ repetition }) => repetition },
  { name: "worker", type: "INT32", of: ({ worker }) => worker },
  { name: "status", type: "INT32", of: ({ status }) => status },
  { name: "attempts", type: "INT32", of: ({ attempts }) => attempts },
  { name: "scheduled_ns", type: "INT64", of: ({ scheduledNs }) => ns(scheduledNs) },
  { name: "sent_ns", type: "INT64", of: ({ sentNs }) => ns(sentNs) },
  { name: "headers_ns", type: "INT64", of: ({ headersNs }) => ns(headersNs) },
  { name: "end_ns", type: "INT64", of: ({ endNs }) => ns(endNs) },
  { name: "chunks", type: "INT32", of: ({ chunks }) => chunks.kinds.length },
  { name: "ttft_ms", type: "DOUBLE", of: (record) => ttftMs(record) },
  { name: "tpot_ms", type: "DOUBLE", of: (record) => tpotVllmMs(record) },
  { name: "e2el_ms", type: "DOUBLE", of: (record) => e2elMs(record) },
  { name: "queue_ms", type: "DOUBLE", of: (record) => clientQueueMs(record) },
  { name: "decode_ctxsweep_tok_s", type: "DOUBLE", of: (record) => decodeRateCtxsweep(record) },
  { name: "prompt_tokens", type: "INT32", of: ({ usage }) => usage?.promptTokens ?? null },
  { name: "cached_prompt_tokens", type: "INT32", of: ({ usage }) => usage?.cachedPromptTokens ?? null },
  { name: "output_tokens", type: "INT32", of: ({ outputTokens }) => outputTokens },
  { name: "token_source", type: "STRING", of: ({ tokenSource }) => tokenSource },
  { name: "finish_reason", type: "STRING", of: ({ finish }) => finish.reason },
  { name: "text_bytes", type: "INT32", of: ({ textBytes }) => textBytes },
  { name: "draft_tokens", type: "INT32", of: ({ acceptance }) => acceptance?.draftTokens ?? null },
  { name: "accepted_tokens", type: "INT32", of: ({ acceptance }) => acceptance?.acceptedTokens ?? null },
  { name: "verify_steps", type: "INT32", of: ({ acceptance }) => acceptance?.verifySteps ?? null },
  { name: "error_kind", type: "STRING", of: ({ error }) => error?.kind ?? null },
  { name: "error_message", type: "STRING", of: ({ error }) => error?.message ?? null },
];

/**
 * Collects one row per request for a Parquet file. Chunks are not in it: their number is, and the figures that come of them.
 * Takes records one by one, so that no more than the rows are in memory.
 */
export class ParquetTable {
  readonly #columns: (string | number | bigint | null)[][] = COLUMNS.map(() => []);

  add(record: RequestRecord): void {
    for (const [index, { of }] of COLUMNS.entries()) this.#columns[index]?.push(of(record));
  }

  /** The file. */
  bytes(): Uint8Array {
    const columnData = COLUMNS.map(({ name, type }, index) => ({
      name,
      type,
      nullable: true,
      data: this.#columns[index] ?? [],
    }));
    return new Uint8Array(parquetWriteBuffer({ columnData, rowGroupSize: ROWS_PER_GROUP }));
  }
}

/** Records as a Parquet file (snappy, one row per request). */
export function recordsParquet(records: Iterable<RequestRecord>): Uint8Array {
  const table = new ParquetTable();
  for (const record of records) table.add(record);
  return table.bytes();
}
