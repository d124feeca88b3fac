import type { RenderOptions } from "@onpar/bench-report";
import { Option, type Command } from "commander";

import type { Env, TextOutput } from "./env.ts";

/** Flags that every command has. */
export interface OutputFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export function addOutputFlags(command: Command, json: string): void {
  command.addOption(new Option("--json", json).helpGroup("Results:"));
  command.addOption(
    new Option(
      "--quiet",
      "Print no progress and no report; errors are printed, and --json still is.",
    ).helpGroup("Results:"),
  );
}

/** Columns and colour of a stream: colour only on a terminal that wants it. */
export function renderOptions(output: TextOutput, env: Env): RenderOptions {
  const { NO_COLOR: noColor = "", TERM: terminal } = env.variables;
  return {
    width: Math.min(output.columns ?? 100, 140),
    color: output.isTerminal && noColor === "" && terminal !== "dumb",
  };
}
