import { streamTimes } from "../figures/stream-times.ts";
import type { RequestRecord } from "../record.ts";
import { CHUNK_LETTERS } from "../records/chunk-series.ts";
import type { Finding } from "../result.ts";
import { Sample } from "./sample.ts";

/** Fewest chunks of an answer that can be called a burst. */
const BURST_CHUNKS = 4;
/** Most of the whole time that a burst takes. Alone it would also find short answers to long prompts. */
const BURST_SHARE = 0.01;
/** Longest mean gap between the chunks of a burst, ms: a decode step of a served model takes longer. */
const BURST_GAP_MS = 1;
const MS = 1e6;

/** Whether streams ended properly, came piece by piece, and ran forward in time. Takes records that ended well. */
export class StreamAudit {
  #ok = 0;
  #unfinished = 0;
  #undone = 0;
  #silent = 0;
  #bursts = 0;
  #heldBack = 0;
  readonly #backwards = new Sample();

  add(record: RequestRecord): void {
    const { chunks, sentNs } = record;
    const { firstNs, lastNs, outputChunks } = streamTimes(record);
    this.#ok++;
    if (record.finish.raw === null) this.#unfinished++;
    if (chunks.kinds.includes(CHUNK_LETTERS.whole)) return this.#addWhole(record, lastNs);
    if (record.status !== null && !chunks.kinds.includes(CHUNK_LETTERS.done)) this.#undone++;
    if (firstNs === null || lastNs === null || sentNs === null) {
      this.#silent++;
      return;
    }
    const ttft = (firstNs - sentNs) / MS;
    const e2el = (lastNs - sentNs) / MS;
    if (ttft < 0 || e2el < ttft || record.endNs < lastNs) this.#backwards.add(record.id);
    // The chunk that ends an output without text came with the last one that has text, or after it.
    if (
      outputChunks >= BURST_CHUNKS &&
      e2el - ttft <= Math.min(BURST_SHARE * e2el, BURST_GAP_MS * (outputChunks - 1))
    )
      this.#bursts++;
    if (sentNs < record.scheduledNs) this.#heldBack++;
  }

  /** An answer that was not streamed has an end and nothing else to look at. */
  #addWhole({ id, sentNs, scheduledNs }: RequestRecord, lastNs: number | null): void {
    if (sentNs === null || lastNs === null) return;
    if (lastNs < sentNs) this.#backwards.add(id);
    if (sentNs < scheduledNs) this.#heldBack++;
  }

  findings(): Finding[] {
    const findings: Finding[] = [];
    const of = (count: number): string => `${count} of ${this.#ok} answers`;
    if (this.#unfinished > 0) {
      const message = `${of(this.#unfinished)} ended without a finish reason: whether EOS or the cap ended them is unknown`;
      findings.push({ severity: "warning", code: "finish-missing", message });
    }
    if (this.#undone > 0) {
      const message = `${of(this.#undone)} ended without [DONE]`;
      findings.push({ severity: "note", code: "done-missing", message });
    }
    if (this.#silent > 0) {
      const message = `${of(this.#silent)} showed no token, so they have no time to first token; the distributions leave them out`;
      findings.push({ severity: "warning", code: "tokens-unseen", message });
    }
    if (this.#bursts > 0) {
      const message =
        `${of(this.#bursts)} came in one burst: something between server and client holds chunks back, ` +
        "so TTFT and ITL do not describe the server";
      findings.push({ severity: "warning", code: "burst-delivery", message });
    }
    if (this.#backwards.count > 0) {
      const message =
        `${this.#backwards.count} records run backwards (TTFT after E2EL or before sending): ` +
        this.#backwards.names.join(", ");
      findings.push({ severity: "breach", code: "times-invalid", message });
    }
    if (this.#heldBack > 0) {
      const message = `${this.#heldBack} of ${this.#ok} requests went out before they were due`;
      findings.push({ severity: "breach", code: "schedule-invalid", message });
    }
    return findings;
  }
}
