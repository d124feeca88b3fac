/** Counts by whole seconds, and the most that one of them holds: the peaks that harnesses write. */
export class PerSecond {
  readonly #counts = new Map<number, number>();

  add(second: number, count = 1): void {
    this.#counts.set(second, (this.#counts.get(second) ?? 0) + count);
  }

  most(): number {
    let most = 0;
    for (const count of this.#counts.values()) most = Math.max(most, count);
    return most;
  }
}

/**
 * How many requests were under way at some time of each whole second since the first start. One that follows another within a
 * second counts beside it, so that this peak may lie above what was in flight at once.
 */
export function activeSeconds(sentNs: readonly number[], endedNs: readonly number[]): PerSecond {
  const firstNs = sentNs.reduce((least, at) => Math.min(least, at), Infinity);
  const active = new PerSecond();
  for (const [index, startNs] of sentNs.entries()) {
    const last = Math.floor(((endedNs[index] ?? startNs) - firstNs) / 1e9);
    for (let second = Math.floor((startNs - firstNs) / 1e9); second <= last; second++) active.add(second);
  }
  return active;
}
