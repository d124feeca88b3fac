/** What is known, ascending. */
export function valuesOf(rows: Uint32Array, of: (row: number) => number | null): Float64Array {
  const known = new Float64Array(rows.length);
  let length = 0;
  for (const row of rows) {
    const value = of(row);
    if (value !== null && Number.isFinite(value)) known[length++] = value;
  }
  return known.subarray(0, length).sort();
}

/** The sum, or null when the list is empty or a value is unknown: a partial sum would pass for the whole. */
export function sumKnown(rows: Uint32Array, of: (row: number) => number | null): number | null {
  let total = 0;
  for (const row of rows) {
    const value = of(row);
    if (value === null) return null;
    total += value;
  }
  return rows.length === 0 ? null : total;
}
