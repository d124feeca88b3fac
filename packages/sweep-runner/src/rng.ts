/** Seeded random numbers: the same seed gives the same run on every machine. */
export interface Rng {
  /** Uniform in [0, 1). */
  next(): number;
  /** Uniform integer in [0, bound). */
  int(bound: number): number;
}

/** xoshiro128** started from `seed` and `stream`; two streams of one seed share no draws. */
export function createRng(seed: number, stream = 0): Rng {
  const mix = splitmix32((seed ^ Math.imul(stream + 1, 0x9e3779b9)) >>> 0);
  let a = mix();
  let b = mix();
  let c = mix();
  let d = mix() | 1;
  const next32 = (): number => {
    const result = Math.imul(rotate(Math.imul(b, 5), 7), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotate(d, 11);
    return result;
  };
  return {
    next: () => next32() / 0x1_0000_0000,
    int: (bound) => Math.floor((next32() / 0x1_0000_0000) * bound),
  };
}

/** A shuffled copy (Fisher-Yates). */
export function shuffled<T extends string | number | object>(items: readonly T[], rng: Rng): T[] {
  const result = [...items];
  for (let index = result.length - 1; index > 0; index--) {
    const other = rng.int(index + 1);
    const moved = result[index];
    const taken = result[other];
    // Both are inside the list; the check is for the compiler.
    if (moved === undefined || taken === undefined) continue;
    result[index] = taken;
    result[other] = moved;
  }
  return result;
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

/** Spreads a small seed over the whole state, so that neighbouring seeds part at once. */
function splitmix32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let value = state ^ (state >>> 16);
    value = Math.imul(value, 0x21f0aaad);
    value ^= value >>> 15;
    value = Math.imul(value, 0x735a2d97);
    return (value ^ (value >>> 15)) >>> 0;
  };
}
