import { ttftMs, e2elMs, tpotVllmMs, clientQueueMs, decodeRateCtxsweep } from "@onpar/sweep-runner";
import type { RequestRecord } from "@onpar/sweep-runner";
import { ByteWriter, ParquetWriter, schemaFromColumnData } from "hyparquet-writer";

/** Rows of a group: as many are held before they are packed, and a reader can skip whole groups. */
const ROWS_PER_GROUP = 50_000;

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

type Cell = string | number | bigint | null;

/**
 * One row per request for a Parquet file. Chunks are not in it: their number is, and the figures that come of them. Takes
 * records one by one, and packs them group by group, so that a million of them need no more memory than a group and the file.
 */
export class ParquetTable {
  readonly #bytes = new ByteWriter();
  readonly #writer = new ParquetWriter({
    writer: this.#bytes,
    schema: schemaFromColumnData({
      columnData: COLUMNS.map(({ name, type }) => ({ name, type, nullable: true, data: [] })),
    }),
  });
  readonly #rowsPerGroup: number;
  #columns: Cell[][] = COLUMNS.map(() => []);

  /** @param rowsPerGroup rows that are held before they are packed */
  constructor(rowsPerGroup = ROWS_PER_GROUP) {
    this.#rowsPerGroup = rowsPerGroup;
  }

  add(record: RequestRecord): void {
    for (const [index, { of }] of COLUMNS.entries()) this.#columns[index]?.push(of(record));
    if ((this.#columns[0]?.length ?? 0) >= this.#rowsPerGroup) this.#pack();
  }

  /** The file. No record may follow. */
  bytes(): Uint8Array {
    this.#pack();
    void this.#writer.finish();
    return this.#bytes.getBytes();
  }

  #pack(): void {
    const columns = this.#columns;
    if ((columns[0]?.length ?? 0) === 0) return;
    this.#columns = COLUMNS.map(() => []);
    const columnData = COLUMNS.map(({ name }, index) => ({ name, data: columns[index] ?? [] }));
    // In memory nothing is waited for.
    void this.#writer.write({ columnData, rowGroupSize: this.#rowsPerGroup });
  }
}

/** Records as a Parquet file (snappy, one row per request). */
export function recordsParquet(records: Iterable<RequestRecord>): Uint8Array {
  const table = new ParquetTable();
  for (const record of records) table.add(record);
  return table.bytes();
}
