/**
 * - `TEMPLATE_SYNTAX`: the template cannot be parsed.
 * - `TEMPLATE_RAISED`: the template refused the conversation with `raise_exception`.
 * - `TEMPLATE_FAILED`: an expression of the template failed on this conversation.
 * - `TEMPLATE_MISSING`: of several templates none fits, and there is no default.
 * - `STEP_LIMIT`, `TIME_LIMIT`, `OUTPUT_LIMIT`, `SIZE_LIMIT`, `DEPTH_LIMIT`: the template wanted more steps, time, output,
 *   characters or items of one value, or nesting than its limits allow.
 * - `MESSAGES_INVALID`: the conversation or the options are not what a template can be given.
 * - `VIEW_MISSING`: the library behind a view is not there.
 */
export type RenderErrorCode =
  | "TEMPLATE_SYNTAX"
  | "TEMPLATE_RAISED"
  | "TEMPLATE_FAILED"
  | "TEMPLATE_MISSING"
  | "STEP_LIMIT"
  | "TIME_LIMIT"
  | "OUTPUT_LIMIT"
  | "SIZE_LIMIT"
  | "DEPTH_LIMIT"
  | "MESSAGES_INVALID"
  | "VIEW_MISSING";

interface RenderErrorDetails {
  /** Class of the exception that Python raises here; null where Python raises none. */
  readonly pythonClass?: string | null;
  /** Line of the template, from 1. */
  readonly line?: number;
  /** Index of the message at fault, from 0. */
  readonly messageIndex?: number;
  /** Field at fault, `content` or `tool_calls[0].function.name`. */
  readonly field?: string;
  readonly cause?: unknown;
}

/**
 * A prompt that could not be rendered. Where `pythonClass` is not null, Python raises that class with this message; for
 * `TEMPLATE_RAISED` the message is the template's own.
 */
export class RenderError extends Error {
  readonly code: RenderErrorCode;
  readonly pythonClass: string | null;
  readonly line: number | undefined;
  readonly messageIndex: number | undefined;
  readonly field: string | undefined;

  constructor(code: RenderErrorCode, message: string, details: RenderErrorDetails = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.name = "RenderError";
    this.code = code;
    this.pythonClass = details.pythonClass ?? null;
    this.line = details.line;
    this.messageIndex = details.messageIndex;
    this.field = details.field;
  }
}
