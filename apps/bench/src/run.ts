import { CommanderError, type Command } from "commander";

import type { Env } from "./env.ts";
import { exitCodes, type ExitCode } from "./exit-codes.ts";
import { describeFailure, type CommandChoice } from "./failure.ts";
import { createProgram } from "./program.ts";

/**
 * The whole command line: parses `argv` (without the interpreter and the script), does what it asks for and gives the
 * exit code. Never throws, never ends the process.
 */
export async function run(argv: readonly string[], env: Env): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.ok.code;
  const program = createProgram(env, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync([...argv], { from: "user" });
    return exitCode;
  } catch (error) {
    // Help and the version were asked for and are printed.
    if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.ok.code;
    const failure = describeFailure(error, choiceAt(program, argv));
    for (const line of failure.lines) env.stderr.write(`onpar: ${line}\n`);
    if (env.variables["ONPAR_DEBUG"] === "1" && error instanceof Error) env.stderr.write(`${error.stack}\n`);
    return failure.exitCode;
  }
}

/** The commands among which the arguments chose, or should have chosen. */
function choiceAt(program: Command, argv: readonly string[]): CommandChoice {
  const group = program.commands.find((one) => one.name() === argv[0] && one.commands.length > 0);
  const before = group === undefined ? [program.name()] : [program.name(), group.name()];
  return { before, names: (group ?? program).commands.map((one) => one.name()) };
}
