/** When requests were in flight, in order of time. */
export interface InFlight {
  /** Sum of the times in flight, ns. */
  readonly busyNs: number;
  readonly peak: number;
  /** From the moment that `target` were in flight to the last moment that they were; null if they never were. */
  window(target: number): { readonly startNs: number; readonly endNs: number } | null;
}

/** @param sent ns, ascending @param ended ns, ascending; as many */
export function inFlight(sent: Float64Array, ended: Float64Array): InFlight {
  let busyNs = 0;
  for (let index = 0; index < sent.length; index++) busyNs += (ended[index] ?? 0) - (sent[index] ?? 0);
  let peak = 0;
  sweep(sent, ended, (_atNs, count) => {
    peak = Math.max(peak, count);
  });
  return {
    busyNs,
    peak,
    window(target) {
      let startNs: number | null = null;
      let endNs = 0;
      let before = 0;
      sweep(sent, ended, (atNs, count) => {
        if (count >= target) startNs ??= atNs;
        else if (before >= target) endNs = atNs;
        before = count;
      });
      return startNs === null ? null : { startNs, endNs };
    },
  };
}

/** A request that ends at the moment another one is sent makes room for it. */
function sweep(sent: Float64Array, ended: Float64Array, visit: (atNs: number, count: number) => void): void {
  let count = 0;
  let next = 0;
  for (let end = 0; end < ended.length; end++) {
    const endNs = ended[end] ?? 0;
    while (next < sent.length && (sent[next] ?? 0) < endNs) visit(sent[next++] ?? 0, ++count);
    visit(endNs, --count);
  }
}

/**
 * Marks (1) by row the requests that had nobody else in flight beside them.
 *
 * @param order rows by sending time @param rows how many there are at all
 */
export function ranAlone(
  order: Uint32Array,
  rows: number,
  sentAt: (row: number) => number,
  endAt: (row: number) => number,
): Uint8Array {
  const alone = new Uint8Array(rows);
  let latestEnd = -Infinity;
  let latest = -1;
  for (const row of order) {
    alone[row] = 1;
    if (sentAt(row) < latestEnd) {
      alone[row] = 0;
      if (latest >= 0) alone[latest] = 0;
    }
    if (endAt(row) > latestEnd) {
      latestEnd = endAt(row);
      latest = row;
    }
  }
  return alone;
}
