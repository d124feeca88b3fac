/** llama.cpp reads this seed as "choose one at random". */
const RANDOM_SEED = 0xffff_ffff;

/** Finaliser of MurmurHash3 (public domain): a bijection on 32 bits in which every input bit moves every output bit. */
function mix32(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85eb_ca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2_ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/**
 * The seed with which the output token at a position is drawn. Each position draws from a generator of its own, so that
 * the token depends on the request's seed and its position only and not on how many positions were evaluated together:
 * that makes a seeded output the same with and without speculative decoding. Mixing is needed because a generator seeded
 * with the same number draws the same number, at every position. Positions of one request never share a seed.
 *
 * @param seed the request's seed, any safe integer
 * @param position index of the output token, from 0
 */
export function positionSeed(seed: number, position: number): number {
  const high = Math.floor(seed / 2 ** 32) | 0;
  const start = (seed ^ mix32(high ^ 0x51ed_270b)) | 0;
  const mixed = mix32((mix32(start) + Math.imul(position, 0x9e37_79b9)) | 0);
  return mixed === RANDOM_SEED ? 0 : mixed;
}

/** A number in [0, 1) for a position, independent of what {@link positionSeed} leads to in the engine. */
export function positionUniform(seed: number, position: number): number {
  return mix32(positionSeed(seed, position) ^ 0x2545_f491) / 2 ** 32;
}
