import type { RequestRecord } from "../record.ts";
import { Column } from "./column.ts";
import { streamTimes } from "./stream-times.ts";

const NS_PER_MS = 1e6;

/**
 * What figures over a run need of each measured request, column by column: a million of them take about 120 MB, however
 * many chunks they had. Times in ms except the two moments.
 */
export class RequestTable {
  readonly repetition = new Column();
  /** 1 ok, 0 anything else. */
  readonly ok = new Column();
  readonly sentNs = new Column();
  readonly endNs = new Column();
  readonly ttft = new Column();
  readonly firstAnswer = new Column();
  readonly e2el = new Column();
  readonly queue = new Column();
  readonly connect = new Column();
  readonly outputTokens = new Column();
  readonly promptTokens = new Column();
  readonly cachedTokens = new Column();
  readonly outputChunks = new Column();
  /** Output cap of the request alone. */
  readonly cap = new Column();

  get length(): number {
    return this.ok.length;
  }

  add(record: RequestRecord): void {
    const { sentNs, endNs, connectNs, usage } = record;
    const times = streamTimes(record);
    const since = (atNs: number | null): number | null =>
      atNs === null || sentNs === null ? null : (atNs - sentNs) / NS_PER_MS;
    this.repetition.push(record.repetition);
    this.ok.push(record.state === "ok" ? 1 : 0);
    this.sentNs.push(sentNs);
    this.endNs.push(endNs);
    this.ttft.push(since(times.firstNs));
    this.firstAnswer.push(since(times.firstAnswerNs));
    this.e2el.push(since(times.lastNs));
    this.queue.push(sentNs === null ? null : (sentNs - record.scheduledNs) / NS_PER_MS);
    this.connect.push(connectNs === null ? null : connectNs / NS_PER_MS);
    this.outputTokens.push(record.outputTokens);
    this.promptTokens.push(usage?.promptTokens ?? null);
    this.cachedTokens.push(usage?.cachedPromptTokens ?? null);
    this.outputChunks.push(times.outputChunks);
    this.cap.push(record.plannedOutputTokens);
  }
}
