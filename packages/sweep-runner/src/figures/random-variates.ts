import type { Rng } from "../rng.ts";

/** A normal variate (polar method of Marsaglia). */
export function normal(rng: Rng): number {
  for (;;) {
    const x = 2 * rng.next() - 1;
    const y = 2 * rng.next() - 1;
    const square = x * x + y * y;
    if (square > 0 && square < 1) return x * Math.sqrt((-2 * Math.log(square)) / square);
  }
}

/** A gamma variate of scale 1 (Marsaglia and Tsang 2000). @param shape at least 1 */
export function gamma(shape: number, rng: Rng): number {
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = normal(rng);
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(1 - rng.next()) < 0.5 * x * x + d * (1 - v + Math.log(v))) return d * v;
  }
}

/** A beta variate. @param a at least 1 @param b at least 1 */
export function beta(a: number, b: number, rng: Rng): number {
  const x = gamma(a, rng);
  return x / (x + gamma(b, rng));
}
