import { ConfigError } from "@onpar/bench-config";
import { ReportError } from "@onpar/bench-report";
import { EngineError, type EngineErrorCode } from "@onpar/engine-binding";
import { RunError, type RunErrorCode } from "@onpar/sweep-runner";
import { CommanderError } from "commander";

import { exitCodes, type ExitCode } from "./exit-codes.ts";
import { UsageError } from "./usage-error.ts";

/** What is said of a failure: lines without the program's name, and the exit code. */
export interface Failure {
  readonly lines: readonly string[];
  readonly exitCode: ExitCode;
}

const usage = exitCodes.usage.code;
const unusable = exitCodes.unusable.code;
const unexpected = exitCodes.unexpected.code;

const runErrorCodes: Readonly<Record<RunErrorCode, ExitCode>> = {
  SERVER_UNREACHABLE: unusable,
  SERVER_NOT_READY: unusable,
  UNAUTHORISED: unusable,
  MODEL_NOT_FOUND: unusable,
  PROMPT_TOO_LONG: unusable,
  REQUEST_REFUSED: unusable,
  TARGET_INVALID: unusable,
  DATASET_INVALID: usage,
  TOKENIZER_INVALID: usage,
  TEMPLATE_MISSING: usage,
  TEMPLATE_FAILED: usage,
  OUTPUT_UNWRITABLE: usage,
  RECORDS_INVALID: usage,
  ENGINE_MISSING: usage,
  SWEEP_INVALID: usage,
  SERVER_EXITED: unusable,
  WORKER_FAILED: unexpected,
  SELFTEST_FAILED: unexpected,
  INTERRUPTED: exitCodes.interrupted.code,
};

const engineErrorCodes: Readonly<Record<EngineErrorCode, ExitCode>> = {
  ENGINE_NOT_INSTALLED: unusable,
  ENGINE_MODEL_NOT_FOUND: usage,
  ENGINE_MODEL_INVALID: usage,
  ENGINE_INVALID_OPTIONS: usage,
  ENGINE_LIBRARY_NOT_FOUND: usage,
  ENGINE_LIBRARY_INVALID: usage,
  ENGINE_INVALID_REQUEST: unusable,
  ENGINE_UNSUPPORTED: usage,
  ENGINE_PROMPT_TOO_LONG: unusable,
  ENGINE_OUT_OF_MEMORY: unusable,
  ENGINE_DISPOSED: unexpected,
  ENGINE_FAILED: unexpected,
};

/** The commands at one place of the command line. */
export interface CommandChoice {
  /** `onpar`, or a command that has commands of its own. */
  readonly before: readonly string[];
  readonly names: readonly string[];
}

/**
 * The one place where errors become words and an exit code.
 *
 * @param commands names of the commands that could have stood where none was understood, and the words before them
 */
export function describeFailure(error: unknown, commands: CommandChoice): Failure {
  if (error instanceof CommanderError) {
    const said = error.message.replace(/^error: /, "");
    const message =
      error.code === "commander.help"
        ? `${commands.before.length > 1 ? `${commands.before.join(" ")}: one of its commands is needed` : "a command is needed"}: ${namesOf(commands)}`
        : error.code === "commander.unknownCommand" && commands.before.length > 1
          ? `${commands.before.join(" ")}: ${said}; there are ${namesOf(commands)}`
          : said;
    return { lines: [oneLine(message)], exitCode: usage };
  }
  if (error instanceof ConfigError) {
    return {
      lines: error.issues.map(({ origin, message }) => oneLine(`${origin}: ${message}`)),
      exitCode: usage,
    };
  }
  if (error instanceof UsageError || error instanceof ReportError)
    return { lines: [oneLine(error.message)], exitCode: usage };
  if (error instanceof RunError) {
    return { lines: [oneLine(error.message)], exitCode: runErrorCodes[error.code] };
  }
  if (error instanceof EngineError) {
    return { lines: [oneLine(error.message)], exitCode: engineErrorCodes[error.code] };
  }
  if (error instanceof Error && error.name === "AbortError") {
    return { lines: ["interrupted before anything was measured"], exitCode: exitCodes.interrupted.code };
  }
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { lines: [oneLine(`unexpected: ${message} (ONPAR_DEBUG=1 shows where)`)], exitCode: unexpected };
}

function namesOf({ before, names }: CommandChoice): string {
  return `${names.slice(0, -1).join(", ")} or ${names.at(-1)}; ${before.join(" ")} --help shows them`;
}

/** Messages quote servers and files: nothing in them may start a new line or drive the terminal. */
export function oneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+/g, " ").trim();
}
