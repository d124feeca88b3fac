/** What one client may ask of the server. */
export interface ServerLimits {
  /** Largest request body, bytes. */
  readonly maxBodyBytes: number;
  /** Time for a request to arrive whole, ms. */
  readonly requestTimeoutMs: number;
  /** How long a client may leave its stream unread before it is cut off, ms. */
  readonly clientStallMs: number;
}

/** Limits where the caller sets none. */
export const defaultLimits: ServerLimits = {
  maxBodyBytes: 16 * 1024 * 1024,
  requestTimeoutMs: 60_000,
  clientStallMs: 60_000,
};
