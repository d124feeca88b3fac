/** What kind of failure a {@link MetricsError} is. */
export type MetricsErrorCode =
  /** The text is not Prometheus exposition text; `line` and `column` say where. */
  | "EXPOSITION_INVALID"
  /** The text has more bytes, lines or labels than the limits allow. */
  | "EXPOSITION_TOO_LARGE"
  /** The address is not a URL that can be scraped. */
  | "METRICS_URL_INVALID"
  /** No connection, or the connection broke. */
  | "METRICS_UNREACHABLE"
  | "METRICS_TIMEOUT"
  | "METRICS_ABORTED"
  /** 401 or 403. */
  | "METRICS_UNAUTHORISED"
  /** 404 or 501: metrics are not enabled at this address. */
  | "METRICS_NOT_ENABLED"
  /** Any other status outside 200 to 299. */
  | "METRICS_HTTP_STATUS"
  /** The answer is a web page or JSON. */
  | "METRICS_NOT_EXPOSITION"
  /** The answer has no content. */
  | "METRICS_EMPTY"
  | "METRICS_TOO_LARGE";

/** Where and why; what does not apply is left out. */
export interface MetricsErrorDetails {
  /** 1-based line of the exposition text. */
  readonly line?: number;
  /** 1-based column, in UTF-16 code units. */
  readonly column?: number;
  readonly status?: number;
  readonly cause?: unknown;
}

/** A metrics page that could not be had or read. The message is one line: what was wrong, where, what to do. */
export class MetricsError extends Error {
  override readonly name = "MetricsError";
  readonly code: MetricsErrorCode;
  /** 1-based line of the exposition text; null when the failure has no place in a text. */
  readonly line: number | null;
  /** 1-based column, in UTF-16 code units; null when the failure has no place in a text. */
  readonly column: number | null;
  /** HTTP status; null when there was no answer or the answer was 2xx. */
  readonly status: number | null;

  constructor(code: MetricsErrorCode, message: string, details: MetricsErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.line = details.line ?? null;
    this.column = details.column ?? null;
    this.status = details.status ?? null;
  }
}
