/** Statuses by which a server refuses a request for now (RFC 6585 section 4, RFC 9110 section 15.6.4). */
const REFUSED_FOR_NOW: ReadonlySet<number | null> = new Set([429, 503]);
/** First wait where the server names none, ms; it doubles with every further one. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;

/**
 * How long to wait before a request goes out again, ms; null when it does not: it was not refused for now.
 *
 * @param retries how often it went out again already
 */
export function waitBeforeRetryMs(
  status: number | null,
  retryAfterS: number | null,
  retries: number,
): number | null {
  if (!REFUSED_FOR_NOW.has(status)) return null;
  if (retryAfterS !== null) return Math.ceil(retryAfterS * 1000);
  return Math.min(FIRST_WAIT_MS * 2 ** retries, LONGEST_WAIT_MS);
}
