import type { Command } from "commander";

import type { Env } from "../env.ts";
import type { ExitCode } from "../exit-codes.ts";
import { addSweepKind } from "../sweep/sweep-command.ts";
import { SWEEP_KINDS } from "../sweep/sweep-kinds.ts";
import { addSaturation } from "./saturation.ts";

const examples = `
Examples:
  onpar sweep context --base-url http://127.0.0.1:8000 --values 512,2048,8192
  onpar sweep concurrency --demo --values 1,2,4
  onpar sweep draft --demo --no-ignore-eos --values 1,3,5,8
  onpar sweep draft --base-url http://127.0.0.1:8080 -- \\
    llama-server -m target.gguf -md draft.gguf --spec-draft-n-max {speculation.draftTokens} --metrics --port 8080
  onpar sweep saturation --base-url http://127.0.0.1:8000 --slo 'p99(ttft)<=500ms' --to 256
  onpar sweep points --sweep concurrency=1,4 --sweep sampling.temperature=0,1 --output-dir results --resume`;

/** `onpar sweep KIND`: the same measurement at several points, resumable, with a row per point. */
export function addSweepCommand(program: Command, env: Env, done: (code: ExitCode) => void): void {
  const sweep = program
    .command("sweep")
    .summary("measure at several points: context, concurrency, rate, draft budget, or any setting")
    .description(
      "Measures at several points under one stated protocol, appends a line per point to a journal, and goes on after a " +
        "kill with --resume. A point that fails is recorded, and the sweep goes on.",
    )
    .addHelpText("after", examples);
  for (const kind of SWEEP_KINDS) addSweepKind(sweep, kind, env, done);
  addSaturation(sweep, env, done);
}
