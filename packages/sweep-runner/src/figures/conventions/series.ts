import { quantileType7 } from "../percentiles.ts";

/** Values of one figure, and the statistics that harnesses write of them. */
export class Series {
  readonly #values: number[] = [];

  push(value: number): void {
    this.#values.push(value);
  }

  get length(): number {
    return this.#values.length;
  }

  sum(): number {
    let sum = 0;
    for (const value of this.#values) sum += value;
    return sum;
  }

  /**
   * Mean, median, population standard deviation (numpy's) and percentiles. `empty` stands for those of no values: some
   * harnesses write 0 there, and some leave it out.
   */
  statistics(empty: number | null): Statistics {
    const sorted = Float64Array.from(this.#values).sort();
    const n = sorted.length;
    const mean = this.sum() / n;
    let squares = 0;
    for (const value of sorted) squares += (value - mean) ** 2;
    return {
      n,
      mean: n === 0 ? empty : mean,
      std: n === 0 ? empty : Math.sqrt(squares / n),
      percentile: (q) => quantileType7(sorted, q / 100) ?? empty,
      min: sorted[0] ?? empty,
      max: sorted.at(-1) ?? empty,
    };
  }
}

export interface Statistics {
  readonly n: number;
  readonly mean: number | null;
  readonly std: number | null;
  readonly min: number | null;
  readonly max: number | null;
  /** @param q 0 to 100 */
  readonly percentile: (q: number) => number | null;
}
