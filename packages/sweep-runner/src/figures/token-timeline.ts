import { eachOutputChunk, type Timed } from "./stream-times.ts";

const NS_PER_MS = 1e6;
/** Buckets that a timeline holds before it halves its resolution: 17 minutes at 1 ms. */
const BUCKET_LIMIT = 2 ** 20;

/**
 * Output tokens over time, in memory that does not grow with the number of records: buckets of 1 ms, which double in
 * width whenever the run gets too long for them.
 */
export class TokenTimeline {
  #widthNs = NS_PER_MS;
  #buckets = new Float64Array(4096);
  #used = 0;
  #total = 0;
  #lastNs = -Infinity;

  get total(): number {
    return this.#total;
  }

  /** @param atNs ns since the start of the run; earlier is taken for the start */
  add(atNs: number, tokens: number): void {
    let bucket = Math.max(0, Math.floor(atNs / this.#widthNs));
    while (bucket >= BUCKET_LIMIT) {
      this.#halve();
      bucket = Math.floor(atNs / this.#widthNs);
    }
    if (bucket >= this.#buckets.length) {
      const larger = new Float64Array(Math.min(BUCKET_LIMIT, Math.max(bucket + 1, this.#buckets.length * 2)));
      larger.set(this.#buckets);
      this.#buckets = larger;
    }
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + tokens;
    this.#used = Math.max(this.#used, bucket + 1);
    this.#total += tokens;
    this.#lastNs = Math.max(this.#lastNs, atNs);
  }

  /** Tokens from one moment to another; a bucket at the edge counts by its share. */
  between(fromNs: number, toNs: number): number {
    const width = this.#widthNs;
    let sum = 0;
    for (let bucket = Math.max(0, Math.floor(fromNs / width)); bucket < this.#used; bucket++) {
      const start = bucket * width;
      if (start > toNs) break;
      const inside = Math.min(toNs, start + width) - Math.max(fromNs, start);
      // A window that ends where the last chunk arrived holds that chunk.
      const share = start + width > this.#lastNs && toNs >= this.#lastNs ? 1 : Math.max(0, inside) / width;
      sum += (this.#buckets[bucket] ?? 0) * share;
    }
    return sum;
  }

  /**
   * Highest rate over buckets of `bucketMs` from `startNs`, tokens per second. A chunk on the last border belongs to
   * the last bucket, so that the peak is never below the mean over whole buckets. Where everything came within one bucket it
   * is the mean itself; null for no tokens, or tokens of one moment.
   */
  peak(startNs: number, bucketMs: number): number | null {
    if (this.#total === 0) return null;
    const spanMs = (this.#lastNs - startNs) / NS_PER_MS;
    if (spanMs < bucketMs) return spanMs <= 0 ? null : (this.#total * 1000) / spanMs;
    const last = Math.ceil(spanMs / bucketMs) - 1;
    const sums = new Float64Array(last + 1);
    const widthMs = this.#widthNs / NS_PER_MS;
    const startMs = startNs / NS_PER_MS;
    for (let bucket = 0; bucket < this.#used; bucket++) {
      const tokens = this.#buckets[bucket] ?? 0;
      if (tokens === 0) continue;
      const wide = Math.floor((Math.floor(bucket * widthMs) - Math.floor(startMs)) / bucketMs);
      const index = Math.min(last, Math.max(0, wide));
      sums[index] = (sums[index] ?? 0) + tokens;
    }
    let fullest = 0;
    for (const tokens of sums) fullest = Math.max(fullest, tokens);
    return (fullest * 1000) / bucketMs;
  }

  #halve(): void {
    const next = new Float64Array(this.#buckets.length);
    for (let bucket = 0; bucket < this.#used; bucket++) {
      const index = bucket >> 1;
      next[index] = (next[index] ?? 0) + (this.#buckets[bucket] ?? 0);
    }
    this.#buckets = next;
    this.#used = (this.#used + 1) >> 1;
    this.#widthNs *= 2;
  }
}

/**
 * Highest output rate over buckets of `bucketMs` from `startNs`, in tokens (not chunks) per second; see
 * {@link TokenTimeline.peak}. Null when a chunk of one of the records does not tell its tokens.
 */
export function peakOutputRate(records: readonly Timed[], startNs: number, bucketMs = 1000): number | null {
  const timeline = new TokenTimeline();
  let known = true;
  for (const record of records) {
    eachOutputChunk(record, (atNs, tokens, carries) => {
      if (!carries) return;
      if (tokens === null) known = false;
      else timeline.add(atNs, tokens);
    });
  }
  return known ? timeline.peak(startNs, bucketMs) : null;
}
