import type { Distribution } from "../result.ts";
import { distributionOfSorted, quantileType7 } from "./percentiles.ts";

/** Values that are kept one by one before they go into a histogram: 8 MB. */
const EXACT_LIMIT = 2 ** 20;
/** Leading bits of the fraction that tell histogram bins apart. */
const FRACTION_BITS = 10;
/** Half the width of a bin against its value. */
const RELATIVE_ERROR = 2 ** -(FRACTION_BITS + 1);
const SHIFT = 20 - FRACTION_BITS;
/** Bins of all positive numbers under 2^32, from 2^-32 on; smaller ones share the first. */
const FIRST_BIN = (1023 - 32) << FRACTION_BITS;
const BINS = 64 << FRACTION_BITS;

/**
 * Takes any number of values in bounded memory. Up to a million are kept and their percentiles are exact; more go into
 * a histogram whose bins are 0.1 % wide, and the distribution says so. Minimum, maximum and mean are always exact.
 */
export class ValueSink {
  #values: Float64Array | null = new Float64Array(256);
  #bins: Float64Array | null = null;
  readonly #word = new DataView(new ArrayBuffer(8));
  #n = 0;
  #sum = 0;
  #min = Infinity;
  #max = -Infinity;

  get n(): number {
    return this.#n;
  }

  /** @param times how often the value occurred */
  add(value: number, times = 1): void {
    if (!Number.isFinite(value) || times <= 0) return;
    if (this.#values !== null && this.#n + times > EXACT_LIMIT) this.#toBins();
    this.#sum += value * times;
    this.#min = Math.min(this.#min, value);
    this.#max = Math.max(this.#max, value);
    if (this.#values === null) this.#count(value, times);
    else this.#keep(value, times);
    this.#n += times;
  }

  /** A quantile (0 to 1) or the mean; null when there was no value. */
  statistic(which: number | "mean"): number | null {
    if (this.#n === 0) return null;
    if (which === "mean") return this.#sum / this.#n;
    return this.#values === null
      ? this.#quantile(which)
      : quantileType7(this.#values.slice(0, this.#n).sort(), which);
  }

  /** Null when there was no value. */
  distribution(): Distribution | null {
    if (this.#n === 0) return null;
    if (this.#values !== null) return distributionOfSorted(this.#values.slice(0, this.#n).sort());
    const at = (q: number): number => this.#quantile(q);
    return {
      n: this.#n,
      min: this.#min,
      mean: Math.min(this.#max, Math.max(this.#min, this.#sum / this.#n)),
      p50: at(0.5),
      p90: at(0.9),
      p95: at(0.95),
      p99: at(0.99),
      max: this.#max,
      relativeError: RELATIVE_ERROR,
    };
  }

  #keep(value: number, times: number): void {
    let values = this.#values ?? new Float64Array(0);
    if (this.#n + times > values.length) {
      const larger = new Float64Array(Math.min(EXACT_LIMIT, Math.max(this.#n + times, values.length * 2)));
      larger.set(values);
      values = larger;
      this.#values = larger;
    }
    values.fill(value, this.#n, this.#n + times);
  }

  #toBins(): void {
    const values = this.#values ?? new Float64Array(0);
    this.#values = null;
    this.#bins = new Float64Array(BINS);
    for (let index = 0; index < this.#n; index++) this.#count(values[index] ?? 0, 1);
  }

  #count(value: number, times: number): void {
    const bins = this.#bins;
    if (bins === null) return;
    this.#word.setFloat64(0, value);
    const bin =
      value <= 0 ? 0 : Math.min(BINS - 1, Math.max(0, (this.#word.getUint32(0) >>> SHIFT) - FIRST_BIN));
    bins[bin] = (bins[bin] ?? 0) + times;
  }

  /** The middle of the bin that holds the rank; ranks between two values take the lower one, which is within the error. */
  #quantile(q: number): number {
    if (q <= 0) return this.#min;
    if (q >= 1) return this.#max;
    const rank = Math.floor((this.#n - 1) * q);
    let below = 0;
    const bins = this.#bins ?? [];
    for (let bin = 0; bin < bins.length; bin++) {
      below += bins[bin] ?? 0;
      if (below > rank) return Math.min(this.#max, Math.max(this.#min, this.#middle(bin)));
    }
    return this.#max;
  }

  #middle(bin: number): number {
    if (bin === 0) return this.#min > 0 ? this.#min : 0;
    this.#word.setUint32(0, (bin + FIRST_BIN) << SHIFT);
    this.#word.setUint32(4, 0);
    return this.#word.getFloat64(0) * (1 + RELATIVE_ERROR);
  }
}
