/**
 * - `TEMPLATE_NOT_FOUND`: there is no such file or folder, or it carries no chat template.
 * - `TEMPLATE_UNREADABLE`: there is one, but it cannot be read: too large, not UTF-8, broken JSON or GGUF.
 */
export type TemplateNotFoundCode = "TEMPLATE_NOT_FOUND" | "TEMPLATE_UNREADABLE";

/** No template could be had from a source. There is no fallback: another prompt would be another measurement. */
export class TemplateNotFoundError extends Error {
  readonly code: TemplateNotFoundCode;

  constructor(code: TemplateNotFoundCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = "TemplateNotFoundError";
    this.code = code;
  }
}
