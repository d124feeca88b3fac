/** What the user has to change: one line on stderr and an exit code. */
export class CliError extends Error {
  readonly exitCode: number;

  constructor(message: string, options: { readonly exitCode: number } & ErrorOptions) {
    super(message, options);
    this.name = "CliError";
    this.exitCode = options.exitCode;
  }
}

/** Exit codes of `onpar-server`. */
export const exitCodes = {
  /** Stopped as asked. */
  ok: 0,
  /** The engine or the server failed. */
  failed: 1,
  /** A flag, a file or the port cannot be used. */
  usage: 2,
} as const;

export function usageError(message: string, cause?: unknown): CliError {
  return new CliError(message, { exitCode: exitCodes.usage, cause });
}
