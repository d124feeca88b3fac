/** A command line or an input file that cannot be used: one line that says what, where and what to do. */
export class UsageError extends Error {
  readonly code = "USAGE";

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "UsageError";
  }
}
