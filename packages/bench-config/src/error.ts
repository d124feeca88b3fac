/** Line and column in a file, both from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** One thing that is wrong with a configuration. */
export interface ConfigIssue {
  /** Field of the configuration, for example `sampling.topP`; a flag's spelling when it has no field. */
  readonly path: string;
  /** Where the user wrote it, as the user wrote it: `--top-p`, or `sampling.topP (file)`. */
  readonly origin: string;
  /** What is wrong and what to do, without the origin. */
  readonly message: string;
  /** Where in a file; absent for what does not come from one. */
  readonly place?: Place;
}

/** A configuration that was refused. `message` has one line per issue; each line stands alone. */
export class ConfigError extends Error {
  readonly code = "CONFIG_INVALID";
  readonly issues: readonly ConfigIssue[];

  constructor(issues: readonly ConfigIssue[]) {
    super(issues.map((issue) => `${issue.origin}: ${issue.message}`).join("\n"));
    this.name = "ConfigError";
    this.issues = issues;
  }
}
