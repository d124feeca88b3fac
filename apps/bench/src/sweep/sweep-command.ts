import { planSweep, type SweepPlan, type SweepResult } from "@onpar/sweep-runner";
import { Option, type Command } from "commander";

import type { Env } from "../env.ts";
import { exitCodes, type ExitCode } from "../exit-codes.ts";
import { withInterrupts } from "../interrupts.ts";
import { createProgress } from "../progress.ts";
import { serialise } from "../result-file.ts";
import { UsageError } from "../usage-error.ts";
import { addSweepFlags, outputFolder, resolveSweep, type SweepFlags } from "./sweep-flags.ts";
import type { Conclusion, SweepKind } from "./sweep-kinds.ts";
import { openSweepSession, takeSweep } from "./sweep-session.ts";
import { sweepTable, sweepTrouble } from "./sweep-table.ts";

interface LadderFlags extends SweepFlags {
  readonly values?: string;
}

/** What an option of one kind makes of the kind, for example the arms that are compared. */
export type KindFromFlags = (flags: Readonly<Record<string, unknown>>) => SweepKind;

/**
 * Adds the command of one kind of sweep.
 *
 * @param adapt for kinds with flags of their own: the kind as those flags have it
 */
export function addSweepKind(
  parent: Command,
  kind: SweepKind,
  env: Env,
  done: (code: ExitCode) => void,
  adapt: KindFromFlags = () => kind,
): Command {
  const command = parent
    .command(kind.name)
    .summary(kind.summary)
    .description(`${kind.summary.charAt(0).toUpperCase()}${kind.summary.slice(1)}.`);
  const given = addSweepFlags(command);
  if (kind.values !== null) {
    const preset = kind.rungs.length === 0 ? "" : ` Default: ${kind.rungs.join(",")}.`;
    command.addOption(new Option("--values <LIST>", `Rungs of the ladder.${preset}`).helpGroup("Sweep:"));
  }
  return command.action(async (server: readonly string[], flags: LadderFlags & Record<string, unknown>) => {
    const taken = adapt(flags);
    const { config } = await resolveSweep(flags, given, server, taken, env);
    const values = taken.values === null ? [] : valuesOf(flags.values, taken);
    const folder = outputFolder(flags, taken.name);
    const progress = createProgress(env, flags.quiet !== true);
    const outcome = await withInterrupts(env, async (signal) => {
      const session = openSweepSession(config, { env, progress, signal, tag: flags.tag ?? null });
      try {
        const fitted = taken.fit === null ? values : taken.fit(values, await session.facts(config), config);
        const axis = taken.axis(config, fitted);
        const axes = [...(axis === null ? [] : [axis]), ...config.sweep.axes];
        if (axes.length === 0 || axes.some((one) => one.values.length === 0)) {
          throw new UsageError(noPoints(taken, values));
        }
        const plan = planSweep(config, axes);
        const resume = flags.resume === true;
        const { name, measure } = taken;
        const result = await takeSweep({
          env,
          progress,
          signal,
          session,
          plan,
          folder,
          kind: name,
          resume,
          measure,
        });
        return { result, conclusion: await conclude(taken, folder, plan, result) };
      } finally {
        await session.close();
        progress.end();
      }
    });
    show(outcome, { kind: taken.name, folder, flags }, env);
    done(exitCodeOf(outcome));
  });
}

interface SweepOutcome {
  readonly result: SweepResult;
  readonly conclusion: Conclusion | null;
}

/** Points that are missing or failed leave an experiment without its result. */
async function conclude(
  { conclude: of }: SweepKind,
  folder: string,
  plan: SweepPlan,
  { missing, failed }: SweepResult,
): Promise<Conclusion | null> {
  return of === undefined || missing > 0 || failed > 0 ? null : of(folder, plan);
}

function noPoints({ fit, values }: SweepKind, asked: readonly number[]): string {
  if (values === null) return "--sweep: name a setting and its values, such as --sweep concurrency=1,2,4";
  return fit !== null && asked.length > 0
    ? `--values ${asked.join(",")}: none of them leaves room for the output in the context limit of the system`
    : "--values: give at least one rung";
}

interface Shown {
  readonly kind: string;
  readonly folder: string;
  readonly flags: SweepFlags;
}

function show({ result, conclusion }: SweepOutcome, { kind, folder, flags }: Shown, env: Env): void {
  if (flags.json === true) {
    env.stdout.write(
      serialise({ kind, folder, ...result, ...(conclusion === null ? {} : { result: conclusion.json }) }),
    );
  } else if (flags.quiet !== true) {
    env.stdout.write(`${sweepTable(result.lines)}${conclusion?.text ?? ""}kept in ${folder}\n`);
  }
  const { failed, missing, lines } = result;
  if (missing > 0) {
    env.stderr.write(
      `onpar: interrupted: ${missing} points are missing; go on with --output-dir ${folder} --resume\n`,
    );
  }
  if (failed > 0) {
    const why = lines.find(({ error }) => error !== null)?.error?.message ?? "no reason was recorded";
    env.stderr.write(`onpar: ${failed} of ${lines.length} points failed: ${why}\n`);
  }
}

/** An interrupt outranks a breach, and a breach outranks what failed. */
function exitCodeOf({ result, conclusion }: SweepOutcome): ExitCode {
  if (result.interrupted) return exitCodes.interrupted.code;
  const { breached, failed } = sweepTrouble(result.lines);
  if (result.failed > 0 && result.failed === result.lines.length) return exitCodes.unusable.code;
  if (breached || conclusion?.isBreach === true) return exitCodes.breach.code;
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
