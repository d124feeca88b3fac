import { planSweep, type SweepResult } from "@onpar/sweep-runner";
import { Option, type Command } from "commander";

import type { Env } from "../env.ts";
import { exitCodes, type ExitCode } from "../exit-codes.ts";
import { withInterrupts } from "../interrupts.ts";
import { createProgress } from "../progress.ts";
import { serialise } from "../result-file.ts";
import { addSweepFlags, outputFolder, resolveSweep, type SweepFlags } from "../sweep/sweep-flags.ts";
import { SWEEP_KINDS, type SweepKind } from "../sweep/sweep-kinds.ts";
import { openSweepSession, takeSweep } from "../sweep/sweep-session.ts";
import { sweepTable, sweepTrouble } from "../sweep/sweep-table.ts";
import { UsageError } from "../usage-error.ts";

interface LadderFlags extends SweepFlags {
  readonly values?: string;
}

const examples = `
Examples:
  onpar sweep context --base-url http://127.0.0.1:8000 --values 512,2048,8192
  onpar sweep concurrency --demo --values 1,2,4
  onpar sweep draft --demo --no-ignore-eos --values 1,3,5,8
  onpar sweep draft --base-url http://127.0.0.1:8080 -- \\
    llama-server -m target.gguf -md draft.gguf --spec-draft-n-max {speculation.draftTokens} --metrics --port 8080
  onpar sweep points --sweep concurrency=1,4 --sweep sampling.temperature=0,1 --output-dir results --resume`;

/** `onpar sweep KIND`: the same measurement at several points, resumable, with a row per point. */
export function addSweepCommand(program: Command, env: Env, done: (code: ExitCode) => void): void {
  const sweep = program
    .command("sweep")
    .summary("measure at several points: context, concurrency, rate, draft budget, or any setting")
    .description(
      "Measures at several points under one stated protocol, appends a line per point to a journal, and goes on after a kill with " +
        "--resume. A point that fails is recorded, and the sweep goes on.",
    )
    .addHelpText("after", examples);
  for (const kind of SWEEP_KINDS) addKind(sweep, kind, env, done);
}

function addKind(sweep: Command, kind: SweepKind, env: Env, done: (code: ExitCode) => void): void {
  const command = sweep
    .command(kind.name)
    .summary(kind.summary)
    .description(`${capitalised(kind.summary)}.`);
  const given = addSweepFlags(command);
  if (kind.values !== null) {
    const preset = kind.rungs.length === 0 ? "" : ` Default: ${kind.rungs.join(",")}.`;
    command.addOption(new Option("--values <LIST>", `Rungs of the ladder.${preset}`).helpGroup("Sweep:"));
  }
  command.action(async (server: readonly string[], flags: LadderFlags) => {
    const { config } = await resolveSweep(flags, given, server, kind, env);
    const values = kind.values === null ? [] : valuesOf(flags.values, kind);
    const folder = outputFolder(flags, kind.name);
    const progress = createProgress(env, flags.quiet !== true);
    const result = await withInterrupts(env, async (signal) => {
      const session = openSweepSession(config, { env, progress, signal });
      try {
        const fitted =
          kind.name === "context" ? kind.fit(values, await session.facts(config), config) : values;
        const axis = kind.axis(config, fitted);
        const axes = [...(axis === null ? [] : [axis]), ...config.sweep.axes];
        if (axes.length === 0 || axes.some((one) => one.values.length === 0)) {
          throw new UsageError(noPoints(kind, values));
        }
        const plan = planSweep(config, axes);
        return await takeSweep({
          env,
          progress,
          signal,
          session,
          plan,
          folder,
          kind: kind.name,
          resume: flags.resume === true,
          measure: kind.measure,
        });
      } finally {
        await session.close();
        progress.end();
      }
    });
    show(result, { kind: kind.name, folder, flags }, env);
    done(exitCodeOf(result));
  });
}

function noPoints({ name, values }: SweepKind, asked: readonly number[]): string {
  if (values === null) return "--sweep: name a setting and its values, such as --sweep concurrency=1,2,4";
  return name === "context" && asked.length > 0
    ? `--values ${asked.join(",")}: none of them leaves room for the output in the context limit of the system`
    : "--values: give at least one rung";
}

interface Shown {
  readonly kind: string;
  readonly folder: string;
  readonly flags: SweepFlags;
}

function show(result: SweepResult, { kind, folder, flags }: Shown, env: Env): void {
  if (flags.json === true) env.stdout.write(serialise({ kind, folder, ...result }));
  else if (flags.quiet !== true) env.stdout.write(`${sweepTable(result.lines)}kept in ${folder}\n`);
  const { failed, missing } = result;
  if (missing > 0) {
    env.stderr.write(
      `onpar: interrupted: ${missing} points are missing; go on with --output-dir ${folder} --resume\n`,
    );
  }
  if (failed > 0) env.stderr.write(`onpar: ${failed} of ${result.lines.length} points failed\n`);
}

/** An interrupt outranks a breach, and a breach outranks what failed. */
function exitCodeOf(result: SweepResult): ExitCode {
  if (result.interrupted) return exitCodes.interrupted.code;
  const { breached, failed } = sweepTrouble(result.lines);
  if (result.failed > 0 && result.failed === result.lines.length) return exitCodes.unusable.code;
  if (breached) return exitCodes.breach.code;
  return failed ? exitCodes.failures.code : exitCodes.ok.code;
}

function valuesOf(text: string | undefined, { rungs, values }: SweepKind): readonly number[] {
  if (text === undefined || values === null) return rungs;
  const list = text.split(",").map((part) => (part.trim() === "" ? NaN : Number(part)));
  const isRight = list.every(
    (value) => value >= values.least && (!values.integer || Number.isInteger(value)),
  );
  if (isRight && new Set(list).size === list.length) return list;
  throw new UsageError(
    `--values ${text}: give different ${values.integer ? "whole numbers" : "numbers"} from ${values.least}, such as 1,2,4`,
  );
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
