/** Edits (insert, delete, replace, swap of neighbours) from one text to the other. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1);
      }
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}

const LONGEST_NAME = 64;

function bare(name: string): string {
  return name.replace(/[^a-z0-9]/giu, "").toLowerCase();
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf(".") + 1);
}

/**
 * The known path that an unknown one most likely means, or null when none is near. Case, `-` and `_` do not count
 * (`ignore_eos` is near `ignoreEos`), and a setting written at the wrong level is found by its last part.
 */
export function nearestPath(unknown: string, known: readonly string[]): string | null {
  if (unknown.length > LONGEST_NAME) {
    return null;
  }
  const whole = bare(unknown);
  const last = bare(lastPart(unknown));
  let best: { readonly path: string; readonly distance: number } | null = null;
  for (const path of known) {
    const distance = Math.min(editDistance(whole, bare(path)), editDistance(last, bare(lastPart(path))));
    if (best === null || distance < best.distance) {
      best = { path, distance };
    }
  }
  const tolerated = Math.min(3, Math.floor(last.length / 3));
  return best !== null && best.distance <= tolerated ? best.path : null;
}
