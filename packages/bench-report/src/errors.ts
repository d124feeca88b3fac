/** Why a file could not be read or written. */
export type ReportErrorCode =
  | "RESULT_INVALID"
  | "FORMAT_UNKNOWN"
  | "IMPORT_INVALID"
  | "TOO_LARGE"
  | "NOTHING_TO_SHOW";

/** What was wrong, where, and what to do, in one line. */
export class ReportError extends Error {
  readonly code: ReportErrorCode;

  constructor(code: ReportErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ReportError";
    this.code = code;
  }
}
