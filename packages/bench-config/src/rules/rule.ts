import type { BenchConfig } from "../schema.ts";

/** What a rule over several settings sees. */
export interface RuleContext {
  readonly config: BenchConfig;
  /** Whether a source other than the defaults set this path. */
  readonly isSet: (path: string) => boolean;
  /** Set by a flag, or set by another source to something else than the default. */
  readonly isDeliberate: (path: string) => boolean;
  /** As the user wrote it: `--stop`, `stop (file)`; the flag's own spelling for what was not set. */
  readonly spelled: (path: string) => string;
}

export interface Refusal {
  readonly path: string;
  readonly message: string;
}

/** A refusal of what contradicts itself or could not be honoured. `reads` are the settings that it depends on. */
export interface Rule {
  readonly reads: readonly string[];
  readonly check: (context: RuleContext) => readonly Refusal[];
}

/** Settings that mean something only under another choice. */
export interface Dependents {
  /** The setting that makes them meaningful or not. */
  readonly choice: string;
  readonly settings: readonly string[];
  readonly isMeaningless: (config: BenchConfig) => boolean;
  readonly message: (config: BenchConfig) => string;
}

/** Whether a sweep gives this setting its values. */
export function isSwept(config: BenchConfig, path: string): boolean {
  return config.sweep.axes.some(({ field }) => field === path);
}
