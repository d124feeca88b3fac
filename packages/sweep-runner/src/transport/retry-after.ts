const LONGEST_S = 31_536_000;

/**
 * `Retry-After` (RFC 9110, section 10.2.3) in seconds from now: a number of seconds or an HTTP date. Null when it is
 * neither.
 *
 * @param nowMs wall clock, for dates
 */
export function retryAfterS(value: string | readonly string[], nowMs: number): number | null {
  const text = (typeof value === "string" ? value : (value[0] ?? "")).trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Number(text), LONGEST_S);
  if (!/^[A-Za-z]{3,9},? /.test(text)) return null;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? null : Math.min(Math.max(0, Math.round((atMs - nowMs) / 1000)), LONGEST_S);
}
