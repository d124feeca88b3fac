import type { StepLine } from "../sweep/sweep-journal.ts";

/**
 * Why the row of a ladder or a run holds no figure: not one of its requests ended well. Null when one did, and for rows that
 * count no requests.
 */
export function nothingMeasured(row: StepLine["row"]): string | null {
  if (typeof row !== "object" || row === null || Array.isArray(row)) return null;
  const { ok, failed } = row;
  if (ok !== 0 || typeof failed !== "number") return null;
  return `none of its requests ended well (${failed} failed): its records say why`;
}
