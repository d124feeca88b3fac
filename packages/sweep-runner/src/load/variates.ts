import { gamma as gammaFromOne } from "../figures/random-variates.ts";
import type { Rng } from "../rng.ts";

/** An exponential variate of mean 1. */
export function exponential(rng: Rng): number {
  return -Math.log(1 - rng.next());
}

/** A gamma variate of scale 1 for any shape above 0; below 1 by the boost of Marsaglia and Tsang 2000, section 6. */
export function gamma(shape: number, rng: Rng): number {
  return shape >= 1
    ? gammaFromOne(shape, rng)
    : gammaFromOne(shape + 1, rng) * Math.pow(1 - rng.next(), 1 / shape);
}
