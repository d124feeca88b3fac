import { CommanderError } from "commander";

import { CliError, exitCodes } from "./cli/cli-error.ts";
import { applyConfig, readSmallFile } from "./cli/config-file.ts";
import type { CliEnvironment } from "./cli/environment.ts";
import { readFlags, serveCommand } from "./cli/flags.ts";
import { oneLine, serve } from "./cli/serve.ts";

function exitCodeOf(error: unknown): number {
  if (error instanceof CliError) return error.exitCode;
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  return exitCodes.failed;
}

/**
 * Runs `onpar-server` until it is asked to stop. Never throws: what went wrong is one line on stderr.
 *
 * @param argv arguments after the command's name
 * @returns the exit code: 0 stopped as asked, 1 failed, 2 a flag, a file or the port cannot be used
 */
export async function run(argv: readonly string[], environment: CliEnvironment): Promise<number> {
  const command = serveCommand()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => environment.stdout.write(text),
      // Commander puts its hints on lines of their own.
      outputError: () => {},
    });
  try {
    command.parse(argv, { from: "user" });
    const config = command.getOptionValue("config");
    if (typeof config === "string") {
      applyConfig(command, await readSmallFile(config, "--config"), config);
    }
    await serve(readFlags(command, environment.variables), environment);
    return exitCodes.ok;
  } catch (error) {
    const exitCode = exitCodeOf(error);
    if (exitCode !== exitCodes.ok) {
      const message = error instanceof Error ? error.message : String(error);
      environment.stderr.write(`onpar-server: ${oneLine(message).replace(/^error: /, "")}\n`);
    }
    return exitCode;
  }
}
