/**
 * - `TEMPLATE_SYNTAX`: the template cannot be parsed.
 * - `TEMPLATE_RAISED`: the template refused the conversation with `raise_exception`.
 * - `TEMPLATE_FAILED`: an expression of the template failed on this conversation.
 * - `OUTPUT_LIMIT`: the prompt, or a text on the way to it, grew beyond the limit.
 * - `STEP_LIMIT`: the template ran longer than the limit allows.
 * - `MESSAGES_INVALID`: the conversation or the options are not what a template can be given.
 */
export type RenderErrorCode =
  | "TEMPLATE_SYNTAX"
  | "TEMPLATE_RAISED"
  | "TEMPLATE_FAILED"
  | "OUTPUT_LIMIT"
  | "STEP_LIMIT"
  | "MESSAGES_INVALID";

interface RenderErrorDetails {
  /** Class of the exception that Python raises here; null where it is not known. */
  readonly pythonClass?: string | null;
  /** Line of the template, from 1. The present runtime does not tell lines. */
  readonly line?: number;
  /** Index of the message at fault, from 0. */
  readonly messageIndex?: number;
  /** Field at fault, `content` or `tool_calls[0].function.name`. */
  readonly field?: string;
  readonly cause?: unknown;
}

/** A prompt that could not be rendered. For `TEMPLATE_RAISED` the message is the template's own. */
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
