/** An exception that Python would raise while it renders a template: its class and its message. */
export class PyError extends Error {
  override readonly name = "PyError";
  /** The class as Python prints it without its module, for example `TypeError` or `UndefinedError`. */
  readonly pythonClass: string;
  /** The template's line, from 1, where the runtime knows it. */
  line?: number;

  constructor(pythonClass: string, message: string, line?: number) {
    super(message);
    this.pythonClass = pythonClass;
    if (line !== undefined) {
      this.line = line;
    }
  }
}

export function typeError(message: string): PyError {
  return new PyError("TypeError", message);
}

export function valueError(message: string): PyError {
  return new PyError("ValueError", message);
}

export function overflowError(message: string): PyError {
  return new PyError("OverflowError", message);
}

export function filterArgumentError(message: string): PyError {
  return new PyError("FilterArgumentError", message);
}

/** Raised where Python's stack would end; `doing` is Python's own ending of the message, or empty. */
export function recursionError(doing = ""): PyError {
  return new PyError("RecursionError", `maximum recursion depth exceeded${doing}`);
}
