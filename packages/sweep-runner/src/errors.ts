/** What kind of failure a {@link RunError} is. */
export type RunErrorCode =
  | "SERVER_UNREACHABLE"
  | "SERVER_NOT_READY"
  | "UNAUTHORISED"
  | "MODEL_NOT_FOUND"
  | "PROMPT_TOO_LONG"
  | "REQUEST_REFUSED"
  | "DATASET_INVALID"
  | "TOKENIZER_INVALID"
  | "TEMPLATE_MISSING"
  | "TEMPLATE_FAILED"
  | "OUTPUT_UNWRITABLE"
  | "RECORDS_INVALID"
  | "TARGET_INVALID"
  | "ENGINE_MISSING"
  | "WORKER_FAILED"
  | "SELFTEST_FAILED"
  | "SWEEP_INVALID"
  | "SERVER_EXITED"
  | "INTERRUPTED";

/** Why a run could not be taken. The message is one line: what was wrong, where, and what to do. */
export class RunError extends Error {
  readonly code: RunErrorCode;

  constructor(code: RunErrorCode, message: string, options?: ErrorOptions) {
    super(oneLine(message), options);
    this.name = "RunError";
    this.code = code;
  }
}

const MESSAGE_LIMIT = 600;

/** A text from outside as part of one line: white space joined, control characters gone, bounded. */
export function oneLine(text: string, limit = MESSAGE_LIMIT): string {
  // eslint-disable-next-line no-control-regex -- control characters are what is taken out
  const line = text.replace(/[\u0000-\u001f\u007f\s]+/g, " ").trim();
  return line.length <= limit ? line : `${line.slice(0, limit - 1)}…`;
}

/** The message of anything that was thrown; system errors keep their code (`ECONNREFUSED`). */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return oneLine(String(error));
  const code = systemCode(error);
  const message = error.message === "" ? error.name : error.message;
  return oneLine(code === null || message.includes(code) ? message : `${message} (${code})`);
}

/** `ECONNREFUSED`, `ENOSPC`, `UND_ERR_SOCKET` …, also of the cause or of the first of several errors. */
export function systemCode(error: unknown): string | null {
  let current: unknown = error;
  for (let depth = 0; depth < 4 && current instanceof Error; depth++) {
    const code: unknown = Reflect.get(current, "code");
    if (typeof code === "string" && /^[A-Z][A-Z0-9_]+$/.test(code)) return code;
    current = current instanceof AggregateError ? current.errors[0] : current.cause;
  }
  return null;
}
