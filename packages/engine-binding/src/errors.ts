/** What kind of failure an {@link EngineError} is. */
export type EngineErrorCode =
  | "ENGINE_NOT_INSTALLED"
  | "ENGINE_MODEL_NOT_FOUND"
  | "ENGINE_MODEL_INVALID"
  | "ENGINE_INVALID_OPTIONS"
  | "ENGINE_LIBRARY_NOT_FOUND"
  | "ENGINE_LIBRARY_INVALID"
  | "ENGINE_INVALID_REQUEST"
  | "ENGINE_UNSUPPORTED"
  | "ENGINE_PROMPT_TOO_LONG"
  | "ENGINE_OUT_OF_MEMORY"
  | "ENGINE_DISPOSED"
  | "ENGINE_FAILED";

/** What went wrong in an engine: the message says what, where and what to do. */
export class EngineError extends Error {
  readonly code: EngineErrorCode;

  constructor(code: EngineErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "EngineError";
    this.code = code;
  }
}
