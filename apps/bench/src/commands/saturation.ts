import { measureRun } from "@onpar/sweep-runner";
import { Option, type Command } from "commander";

import type { Env } from "../env.ts";
import { exitCodes, type ExitCode } from "../exit-codes.ts";
import { withInterrupts } from "../interrupts.ts";
import { createProgress } from "../progress.ts";
import { serialise } from "../result-file.ts";
import { describeSaturation, findSaturation, type SaturationPlan } from "../sweep/saturation.ts";
import { addSweepFlags, outputFolder, resolveSweep, type SweepFlags } from "../sweep/sweep-flags.ts";
import { openSweepSession } from "../sweep/sweep-session.ts";
import { sweepTable } from "../sweep/sweep-table.ts";
import { UsageError } from "../usage-error.ts";

interface SaturationFlags extends SweepFlags {
  readonly over: "concurrency" | "rate";
  readonly from: string;
  readonly to: string;
  readonly trials: string;
  readonly share: string;
}

/** `onpar sweep saturation`: the largest load that meets the service levels. */
export function addSaturation(sweep: Command, env: Env, done: (code: ExitCode) => void): void {
  const command = sweep
    .command("saturation")
    .summary("the largest concurrency or rate that meets the service levels of --slo")
    .description(
      "Doubles the load until the service levels are missed, and bisects between the last load that met them and the first that did not. " +
        "Each load is tried several times; the majority decides.",
    );
  const given = addSweepFlags(command);
  const add = (flags: string, text: string, fallback: string) =>
    command.addOption(new Option(flags, text).default(fallback).helpGroup("Sweep:"));
  command.addOption(
    new Option("--over <LOAD>", "What is raised.")
      .choices(["concurrency", "rate"])
      .default("concurrency")
      .helpGroup("Sweep:"),
  );
  add("--from <N>", "Lowest load.", "1");
  add("--to <N>", "Highest load.", "64");
  add("--trials <N>", "Measurements at each load.", "3");
  add("--share <X>", "Least share of requests that meet the limits of single requests, 0 to 1.", "0.99");
  command.action(async (server: readonly string[], flags: SaturationFlags) => {
    const search = planOf(flags);
    const defaults = search.over === "rate" ? { load: { kind: "poisson", rate: search.from } } : {};
    const { config } = await resolveSweep(flags, given, server, { defaults, carriesOut: ["slos"] }, env);
    if (config.slos.length === 0) {
      throw new UsageError(
        "--slo: name the service levels that have to be met, such as --slo 'p99(ttft)<=500ms'",
      );
    }
    const folder = outputFolder(flags, "saturation");
    const progress = createProgress(env, flags.quiet !== true);
    const { outcome, isInterrupted } = await withInterrupts(env, async (signal) => {
      const session = openSweepSession(config, { env, progress, signal, tag: null });
      try {
        const found = await findSaturation({
          config,
          search,
          session,
          folder,
          resume: flags.resume === true,
          measure: measureRun,
          signal,
          onTrial: (value, trial) => progress.announce(`${search.over} ${value}, trial ${trial + 1}`),
        });
        return { outcome: found, isInterrupted: signal.aborted };
      } finally {
        await session.close();
        progress.end();
      }
    });
    const { result, lines } = outcome;
    if (flags.json === true)
      env.stdout.write(serialise({ kind: "saturation", folder, search, result, lines }));
    else if (flags.quiet !== true) {
      env.stdout.write(`${sweepTable(lines)}${describeSaturation(search, result)}kept in ${folder}\n`);
    }
    if (isInterrupted) {
      env.stderr.write(`onpar: interrupted: go on with --output-dir ${folder} --resume\n`);
      return done(exitCodes.interrupted.code);
    }
    // Nothing that was asked for meets the levels: that is an answer, and a failure for whoever needs them met.
    return done(result.largest === null ? exitCodes.gate.code : exitCodes.ok.code);
  });
}

function planOf({ over, from, to, trials, share }: SaturationFlags): SaturationPlan {
  const isWhole = over === "concurrency";
  const number = (flag: string, text: string, least: number, most: number, whole: boolean): number => {
    const value = text.trim() === "" ? NaN : Number(text);
    if (value >= least && value <= most && (!whole || Number.isInteger(value))) return value;
    throw new UsageError(`${flag} ${text}: give a ${whole ? "whole " : ""}number from ${least} to ${most}`);
  };
  const least = isWhole ? 1 : 0.001;
  const plan = {
    over,
    from: number("--from", from, least, 65_536, isWhole),
    to: number("--to", to, least, 65_536, isWhole),
    trials: number("--trials", trials, 1, 99, true),
    share: number("--share", share, 0, 1, false),
  };
  if (plan.to < plan.from) throw new UsageError(`--to ${to}: is below --from ${from}`);
  return plan;
}
