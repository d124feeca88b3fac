/** What one client may ask of the server. */
export interface ServerLimits {
  /** Largest request body, bytes. */
  readonly maxBodyBytes: number;
  /** Time for a request to arrive whole, ms. */
  readonly requestTimeoutMs: number;
  /** Time for the head of a request to arrive, ms. */
  readonly headersTimeoutMs: number;
  /** How long a client may leave its stream unread before it is cut off, ms. */
  readonly clientStallMs: number;
  /** Outputs that may wait for a slot. */
  readonly maxWaiting: number;
  /** Outputs that one request may ask for: its prompts times `n`. */
  readonly maxOutputs: number;
  /** Messages of one conversation. */
  readonly maxMessages: number;
  /** Characters of a template that comes with a request. */
  readonly maxTemplateChars: number;
  /** Largest head of a request, bytes. */
  readonly maxHeaderBytes: number;
  /** Connections at the same time. */
  readonly maxConnections: number;
}

/** Limits where the caller sets none. */
export const defaultLimits: ServerLimits = {
  maxBodyBytes: 16 * 1024 * 1024,
  requestTimeoutMs: 60_000,
  headersTimeoutMs: 30_000,
  clientStallMs: 60_000,
  maxWaiting: 1024,
  maxOutputs: 128,
  maxMessages: 4096,
  maxTemplateChars: 65_536,
  maxHeaderBytes: 16_384,
  maxConnections: 8192,
};
