/** Bins per doubling: 9 % wide each. */
const PER_OCTAVE = 8;
/** Bins reach from 2^-24 to 2^40. */
const LOWEST = -24 * PER_OCTAVE;
const BINS = 64 * PER_OCTAVE;

/** One bar: from where to where, and how many values. */
export interface HistogramBin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** Counts positive values in bins that grow with them, so that a tail keeps its shape; any number of values, 4 kB. */
export class LogHistogram {
  readonly #bins = new Float64Array(BINS);
  #n = 0;

  get n(): number {
    return this.#n;
  }

  add(value: number | null): void {
    if (value === null || !(value > 0) || !Number.isFinite(value)) return;
    const bin = Math.floor(Math.log2(value) * PER_OCTAVE) - LOWEST;
    const index = Math.min(BINS - 1, Math.max(0, bin));
    this.#bins[index] = (this.#bins[index] ?? 0) + 1;
    this.#n++;
  }

  /** The value that a share of all lies at or below, from the middle of its bin: off by 5 % at most. Null without values. */
  quantile(share: number): number | null {
    if (this.#n === 0) return null;
    const wanted = Math.max(1, Math.ceil(share * this.#n));
    let seen = 0;
    for (let bin = 0; bin < BINS; bin++) {
      seen += this.#bins[bin] ?? 0;
      if (seen >= wanted) return edge(bin + 0.5);
    }
    return edge(BINS);
  }

  /** From the first bin that holds a value to the last. */
  bins(): HistogramBin[] {
    const first = this.#bins.findIndex((count) => count > 0);
    const last = this.#bins.findLastIndex((count) => count > 0);
    if (first < 0) return [];
    return Array.from(this.#bins.subarray(first, last + 1), (count, offset) => ({
      from: edge(first + offset),
      to: edge(first + offset + 1),
      count,
    }));
  }
}

function edge(bin: number): number {
  return 2 ** ((bin + LOWEST) / PER_OCTAVE);
}
