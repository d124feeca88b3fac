import { Command } from "commander";

import { addBenchCommand } from "./commands/bench.ts";
import { addChatCommand } from "./commands/chat.ts";
import { addCompareCommand } from "./commands/compare.ts";
import { addCompleteCommand } from "./commands/complete.ts";
import { addConfigCommand } from "./commands/config.ts";
import { addExperimentCommand } from "./commands/experiment.ts";
import { addGateCommand } from "./commands/gate.ts";
import { addImportCommand } from "./commands/import.ts";
import { addMetricsCommand } from "./commands/metrics.ts";
import { addPresetsCommand } from "./commands/presets.ts";
import { addProbeCommand } from "./commands/probe.ts";
import { addSelftestCommand } from "./commands/selftest.ts";
import { addRenderCommand } from "./commands/render.ts";
import { addReportCommand } from "./commands/report.ts";
import { addSweepCommand } from "./commands/sweep.ts";
import type { Env } from "./env.ts";
import { exitCodes, type ExitCode } from "./exit-codes.ts";
import { packageVersion } from "./version.ts";

/**
 * The commands as the parser sees them; `done` is told the exit code of the one that ran. Writes to `env` only, and
 * throws instead of ending the process.
 */
export function createProgram(env: Env, done: (code: ExitCode) => void): Command {
  const program = new Command("onpar")
    .description(
      "Benches a language-model server, or a model in this process, under a stated protocol: what was asked for, " +
        "what was really sent, and what came back.",
    )
    .version(packageVersion(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand("help [command]", "print the help of a command")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => env.stdout.write(text),
      // Errors come back as exceptions and are printed in one place.
      writeErr: () => {},
      outputError: () => {},
      getOutHelpWidth: () => env.stdout.columns ?? 100,
      getOutHasColors: () => false,
    })
    .addHelpText("after", `\n${examples}\n\n${exitCodeTable()}`);
  addBenchCommand(program, env, done);
  addChatCommand(program, env, done);
  addCompleteCommand(program, env, done);
  addSelftestCommand(program, env, done);
  addConfigCommand(program, env, done);
  addPresetsCommand(program, env, done);
  addRenderCommand(program, env, done);
  addReportCommand(program, env, done);
  addCompareCommand(program, env, done);
  addGateCommand(program, env, done);
  addImportCommand(program, env, done);
  addMetricsCommand(program, env, done);
  addProbeCommand(program, env, done);
  addSweepCommand(program, env, done);
  addExperimentCommand(program, env, done);
  return program;
}

const examples = `Examples:
  onpar run --base-url http://127.0.0.1:8000 --num-prompts 100 --concurrency 8
  onpar run --demo --no-ignore-eos --output-len 256
  onpar chat --base-url http://127.0.0.1:8000 "Why is the sky blue?"
  onpar complete --demo "Once upon a time"`;

function exitCodeTable(): string {
  const rows = Object.values(exitCodes).map(({ code, meaning }) => `  ${String(code).padEnd(3)}  ${meaning}`);
  return ["Exit codes:", ...rows].join("\n");
}
