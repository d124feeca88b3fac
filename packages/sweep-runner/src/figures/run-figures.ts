import type { RequestRecord } from "../record.ts";
import type { Distribution, RequestCounts } from "../result.ts";
import { ranAlone } from "./concurrency.ts";
import { eachChunkGapMs, eachTokenGapMs } from "./request-figures.ts";
import { RequestTable } from "./request-table.ts";
import { eachOutputChunk } from "./stream-times.ts";
import { TokenTimeline } from "./token-timeline.ts";
import { ValueSink } from "./value-sink.ts";

/**
 * Takes the records of a run one by one and keeps what its figures need: memory grows by 100 bytes a request and not with
 * its chunks. Failed, dropped and aborted requests are counted and are in no latency and no rate.
 */
export class RunFigures {
  readonly table = new RequestTable();
  readonly timelines = new Map<number, TokenTimeline>();
  readonly chunkGaps = new ValueSink();
  readonly errors = new Map<string, number>();
  readonly statuses = new Map<string, number>();
  readonly finishReasons = new Map<string, number>();
  readonly tokenSources = new Set<string>();
  resent = 0;
  reasoningTokens: number | null = 0;
  /** Requests whose answer had output tokens, whatever became of them. */
  producers = 0;
  /** Whether all chunks that carry tokens tell how many. */
  #chunksTell = true;
  #counts = { ok: 0, failed: 0, dropped: 0, aborted: 0, warmup: 0 };
  readonly #tokenGaps = new ValueSink();
  readonly #repetitions = new Set<number>();
  readonly #orders = new Map<number | null, { readonly length: number; readonly order: Uint32Array }>();

  add(record: RequestRecord): void {
    if (record.phase === "warmup") {
      this.#counts.warmup++;
      return;
    }
    this.#counts[record.state]++;
    this.table.add(record);
    this.#repetitions.add(record.repetition);
    if (record.attempts > 1) this.resent++;
    if ((record.outputTokens ?? 0) > 0) this.producers++;
    if (record.error !== null) count(this.errors, record.error.kind);
    if (record.state !== "ok") {
      if (record.status !== null && record.status !== 200) count(this.statuses, String(record.status));
      return;
    }
    count(this.finishReasons, record.finish.reason);
    this.tokenSources.add(record.tokenSource);
    const reasoning = record.usage?.reasoningTokens ?? null;
    this.reasoningTokens =
      this.reasoningTokens === null || reasoning === null ? null : this.reasoningTokens + reasoning;
    this.#addChunks(record);
  }

  /** asked = ok + failed + dropped + aborted + unsent. @param asked requests that the run was to measure */
  counts(asked: number): RequestCounts {
    const { ok, failed, dropped, aborted, warmup } = this.#counts;
    return { asked, ok, failed, dropped, aborted, unsent: asked - ok - failed - dropped - aborted, warmup };
  }

  /** Null as soon as one record with tokens does not tell them per chunk: a series of some requests would be another series. */
  tokenGaps(): Distribution | null {
    return this.#chunksTell ? this.#tokenGaps.distribution() : null;
  }

  get chunksTellTokens(): boolean {
    return this.#chunksTell;
  }

  /** Repetitions that have records, ascending. */
  repetitions(): number[] {
    return [...this.#repetitions].sort((a, b) => a - b);
  }

  /** Rows of one repetition, or of all. */
  rows(accept: (row: number) => boolean, repetition: number | null = null): Uint32Array {
    const { table } = this;
    const found = new Uint32Array(table.length);
    let count = 0;
    for (let row = 0; row < table.length; row++) {
      if ((repetition === null || table.repetition.at(row) === repetition) && accept(row))
        found[count++] = row;
    }
    return found.slice(0, count);
  }

  /** Rows that were sent, in order of sending. Kept until another record comes: sorting a million rows takes a second. */
  sentOrder(repetition: number | null = null): Uint32Array {
    const { sentNs, length } = this.table;
    const which = this.#repetitions.size === 1 ? null : repetition;
    const known = this.#orders.get(which);
    if (known?.length === length) return known.order;
    const order = this.rows((row) => !Number.isNaN(sentNs.at(row)), which);
    const keys = Float64Array.from({ length }, (_, row) => sentNs.at(row));
    order.sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0));
    this.#orders.set(which, { length, order });
    return order;
  }

  /** Rows of requests that ended well and had no other one in flight beside them. */
  aloneOk(): Uint32Array {
    const { table } = this;
    const order = this.sentOrder();
    // Marks stand by row, and rows of requests that were never sent are in no order.
    const marks = ranAlone(
      order,
      table.length,
      (row) => table.sentNs.at(row),
      (row) => table.endNs.at(row),
    );
    return order.filter((row) => marks[row] === 1 && table.ok.at(row) === 1);
  }

  #addChunks(record: RequestRecord): void {
    eachChunkGapMs(record, (gap) => this.chunkGaps.add(gap));
    const tell = eachTokenGapMs(record, (gap, times) => {
      if (this.#chunksTell) this.#tokenGaps.add(gap, times);
    });
    if (!tell) this.#chunksTell = false;
    const timeline = this.#timelineOf(record.repetition);
    if (tell) {
      eachOutputChunk(record, (atNs, tokens, carries) => {
        if (carries) timeline.add(atNs, tokens ?? 0);
      });
      return;
    }
    const { outputTokens } = record;
    let chunks = 0;
    eachOutputChunk(record, () => chunks++);
    if (outputTokens === null) return;
    eachOutputChunk(record, (atNs) => timeline.add(atNs, outputTokens / chunks));
  }

  #timelineOf(repetition: number): TokenTimeline {
    const known = this.timelines.get(repetition);
    if (known !== undefined) return known;
    const timeline = new TokenTimeline();
    this.timelines.set(repetition, timeline);
    return timeline;
  }
}

function count(tally: Map<string, number>, name: string): void {
  tally.set(name, (tally.get(name) ?? 0) + 1);
}
