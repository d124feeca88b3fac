/** Statuses that say the request itself is wrong: every other request of the run would be refused too. */
const REFUSALS = new Set([400, 401, 403, 404, 413, 422]);

export function isRefusal(status: number | null): boolean {
  return status !== null && REFUSALS.has(status);
}
