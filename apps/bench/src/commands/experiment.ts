import { compareArms, LOSSLESS_ARMS, readArm, type LosslessArmName } from "@onpar/sweep-runner";
import { Option, type Command } from "commander";

import type { Env } from "../env.ts";
import { exitCodes, type ExitCode } from "../exit-codes.ts";
import { serialise } from "../result-file.ts";
import { accfix, content, eosBias, lossless } from "../sweep/experiment-kinds.ts";
import { describeLossless } from "../sweep/experiment-text.ts";
import { addSweepKind } from "../sweep/sweep-command.ts";
import { UsageError } from "../usage-error.ts";

const examples = `
Examples:
  onpar experiment eos-bias --demo --dataset-path prompts.jsonl --num-prompts 32
  onpar experiment lossless --demo
  onpar experiment lossless --base-url http://127.0.0.1:8000 --off-base-url http://127.0.0.1:8001
  onpar experiment lossless-compare on.jsonl off.jsonl
  onpar experiment accfix --base-url http://127.0.0.1:8000 --values 2048,8192
  onpar experiment content --demo`;

/** `onpar experiment NAME`: questions about speculation that take more than one run to answer. */
export function addExperimentCommand(program: Command, env: Env, done: (code: ExitCode) => void): void {
  const experiment = program
    .command("experiment")
    .summary("answer a question about speculation: losslessness, forced length, content, fixed output")
    .description("Experiments of several runs, with a journal each, resumable like a sweep.")
    .addHelpText("after", examples);
  for (const kind of [accfix, content, eosBias]) addSweepKind(experiment, kind, env, done);
  addLossless(experiment, env, done);
  addLosslessCompare(experiment, env, done);
}

/** Requests beside each measured one, as the comparator's control has them. */
const BACKGROUND = 3;

function addLossless(experiment: Command, env: Env, done: (code: ExitCode) => void): void {
  const settings = { offBaseUrl: null, background: BACKGROUND };
  const command = addSweepKind(experiment, lossless(LOSSLESS_ARMS, settings), env, done, (flags) => {
    const offBaseUrl = urlOf(flags["offBaseUrl"]);
    const isEngine =
      flags["demo"] === true || flags["engine"] !== undefined || flags["endpoint"] === "engine";
    const arms = armsOf(flags["arms"], isEngine || offBaseUrl !== null);
    if (!isEngine && offBaseUrl === null && arms.some((arm) => arm.startsWith("off"))) {
      throw new UsageError("--arms: over HTTP the arms without speculation need --off-base-url");
    }
    return lossless(arms, { offBaseUrl, background: numberOf(flags["background"]) });
  });
  command
    .addOption(
      new Option(
        "--arms <LIST>",
        `What is compared, the first with the others: ${LOSSLESS_ARMS.join(", ")}. Default: on,off,off-loaded; over HTTP without --off-base-url on,on-loaded.`,
      ).helpGroup("Sweep:"),
    )
    .addOption(
      new Option(
        "--off-base-url <URL>",
        "The same server without speculation, for the arms that are off.",
      ).helpGroup("Sweep:"),
    )
    .addOption(
      new Option("--background <N>", "Requests beside each measured one in the loaded arms.")
        .default(String(BACKGROUND))
        .helpGroup("Sweep:"),
    );
}

function addLosslessCompare(experiment: Command, env: Env, done: (code: ExitCode) => void): void {
  experiment
    .command("lossless-compare")
    .argument("<FILE>", "outputs of one arm")
    .argument("<FILE...>", "outputs of the arms that are compared with it")
    .summary("compare files of losslessness runs")
    .description(
      "Compares the outputs of arms that were collected before, for example of servers on different machines.",
    )
    .option("--json", "Print the comparisons as JSON.")
    .action(async (first: string, others: readonly string[], flags: { readonly json?: boolean }) => {
      const base = await readArm(first);
      const comparisons = [];
      for (const file of others) comparisons.push(compareArms(base, await readArm(file)));
      env.stdout.write(flags.json === true ? serialise({ comparisons }) : describeLossless(comparisons));
      const isReal = comparisons.some(({ divergences }) =>
        divergences.some(({ verdict }) => verdict === "real"),
      );
      done(isReal ? exitCodes.breach.code : exitCodes.ok.code);
    });
}

function armsOf(given: unknown, hasOff: boolean): readonly LosslessArmName[] {
  if (typeof given !== "string") return hasOff ? ["on", "off", "off-loaded"] : ["on", "on-loaded"];
  const names = given.split(",").map((name) => name.trim());
  const arms = names.flatMap((name) => LOSSLESS_ARMS.find((arm) => arm === name) ?? []);
  if (arms.length === names.length && new Set(arms).size === arms.length && arms.length >= 2) return arms;
  throw new UsageError(`--arms ${given}: give at least two different ones of ${LOSSLESS_ARMS.join(", ")}`);
}

function urlOf(given: unknown): string | null {
  if (typeof given !== "string") return null;
  if (URL.canParse(given) && /^https?:/.test(given)) return given;
  throw new UsageError(`--off-base-url ${given}: give an http or https URL`);
}

function numberOf(given: unknown): number {
  const value = Number(given);
  if (Number.isInteger(value) && value >= 1 && value <= 256) return value;
  throw new UsageError(`--background ${String(given)}: give a whole number from 1 to 256`);
}
