import type { MetricSample } from "./sample.ts";

/**
 * Tells a page that was cut off between two lines of its last histogram or summary, which a last line that is whole does
 * not show: buckets without their count, or as many sums as counts are not.
 */
export class TailCheck {
  #family = "";
  #name = "";
  #part = "";
  #infinite = 0;
  #sums = 0;
  #counts = 0;
  #lastIsPart = false;
  #isExempt = false;

  add(sample: MetricSample): void {
    const { name, type } = sample;
    if (type !== "histogram" && type !== "summary") {
      this.#family = "";
      this.#name = "";
      return;
    }
    // Names come in runs.
    if (name !== this.#name) this.#look(name);
    this.#lastIsPart = false;
    if (this.#part === "sum") this.#sums++;
    else if (this.#part === "count") this.#counts++;
    else this.#addPart(sample, type === "histogram");
  }

  /** What is missing; null when the last family is whole, or is neither histogram nor summary. */
  missing(): string | null {
    if (this.#family === "" || this.#isExempt) return null;
    if (this.#lastIsPart) return `${this.#family} ends without its count`;
    if (this.#counts !== this.#sums)
      return `${this.#family} has ${this.#counts} counts and ${this.#sums} sums`;
    if (this.#infinite > this.#counts) return `${this.#family} has buckets without a count`;
    return null;
  }

  #look(name: string): void {
    this.#name = name;
    const cut = name.lastIndexOf("_");
    this.#part = name.slice(cut + 1);
    const isPart = this.#part === "bucket" || this.#part === "sum" || this.#part === "count";
    const family = isPart ? name.slice(0, cut) : name;
    if (family !== this.#family) this.#begin(family);
  }

  #begin(family: string): void {
    this.#family = family;
    this.#infinite = 0;
    this.#sums = 0;
    this.#counts = 0;
    this.#isExempt = false;
  }

  #addPart({ labels }: MetricSample, isHistogram: boolean): void {
    const bound = isHistogram ? labels["le"] : undefined;
    // Python's client leaves count and sum away where a bucket is below zero.
    if (bound !== undefined && bound.startsWith("-")) this.#isExempt = true;
    if (bound === "+Inf") this.#infinite++;
    this.#lastIsPart = true;
  }
}
