/** Length of the common beginning of two token lists. */
export function commonPrefixLength(a: readonly number[], b: readonly number[]): number {
  const limit = Math.min(a.length, b.length);
  let length = 0;
  while (length < limit && a[length] === b[length]) length++;
  return length;
}

/** What is known of a free slot when a request looks for one. */
export interface FreeSlot {
  /** Tokens whose state the slot still holds. */
  readonly history: readonly number[];
  /** Salt of the request that left them. */
  readonly salt: string | null;
  /** Larger means used later. */
  readonly lastUsed: number;
}

/**
 * The free slot that can reuse most of a prompt; among equals the one unused for longest, so that cached prefixes live.
 *
 * @param salt what another salt left is not looked at
 * @returns null when there is no free slot
 */
export function chooseSlot<S extends FreeSlot>(
  free: readonly S[],
  prompt: readonly number[],
  salt: string | null,
): { slot: S; common: number } | null {
  let best: { slot: S; common: number } | null = null;
  for (const slot of free) {
    const common = slot.salt === salt ? commonPrefixLength(slot.history, prompt) : 0;
    if (
      best === null ||
      common > best.common ||
      (common === best.common && slot.lastUsed < best.slot.lastUsed)
    ) {
      best = { slot, common };
    }
  }
  return best;
}
