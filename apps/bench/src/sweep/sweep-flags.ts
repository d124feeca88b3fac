import { benchFlags, resolveConfig, type ConfigLayer, type ResolvedConfig } from "@onpar/bench-config";
import { Option, type Command } from "commander";

import { addConfigFlag, layersOf, type ConfigFlag } from "../config-layers.ts";
import type { Env } from "../env.ts";
import { addBenchFlags, type GivenFlags } from "../flags.ts";
import { addOutputFlags, type OutputFlags } from "../output.ts";
import { addDemoFlag, checkApiKey, type DemoFlag } from "../target.ts";
import { refuseUnsupported } from "../unsupported-settings.ts";
import { UsageError } from "../usage-error.ts";

/** Flags that all sweeps and experiments have, beside those of a run. */
export interface SweepFlags extends OutputFlags, DemoFlag, ConfigFlag {
  readonly outputDir?: string;
  readonly resume?: boolean;
  readonly tag?: string;
}

/** Files of a single run: a sweep has a folder instead. */
const RUN_FILES = new Set([
  "output",
  "outputJson",
  "outputCsv",
  "outputMarkdown",
  "outputHtml",
  "outputTokenIds",
]);

const HEADING = "Sweep:";

/** Adds the flags of a run, but for its files, and those of a sweep. Whatever follows `--` is the command of the server. */
export function addSweepFlags(command: Command): GivenFlags {
  const given = addBenchFlags(
    command,
    benchFlags.filter(({ path }) => !RUN_FILES.has(path)),
  );
  addDemoFlag(command);
  addConfigFlag(command);
  command
    .argument(
      "[server...]",
      "after --: command that starts the server, for each boot anew; {setting} takes a value",
    )
    .addOption(
      new Option(
        "--output-dir <DIR>",
        "Folder for the journal, the records and the CSV. Default: a new one, named after the sweep and the time.",
      ).helpGroup(HEADING),
    )
    .addOption(
      new Option(
        "--resume",
        "Go on with the sweep in --output-dir: what it holds is not measured again.",
      ).helpGroup(HEADING),
    );
  command.addOption(
    new Option(
      "--tag <TEXT>",
      "Text at the head of the prompts that a ladder makes, so that no prefix cache knows them. Default: drawn anew.",
    ).helpGroup(HEADING),
  );
  addOutputFlags(command, "Print the rows as JSON, and nothing else, on standard output.");
  return given;
}

/** What a sweep carries out although a single run does not. */
const CARRIED_OUT = ["repetition", "sweep", "server"];

/** What belongs to one kind of sweep. */
export interface SweepSettings {
  /** Below everything that the user says. */
  readonly defaults: Readonly<Record<string, unknown>>;
  /** Settings that this kind carries out beside those of every sweep. */
  readonly carriesOut: readonly string[];
}

/**
 * The configuration of a sweep.
 *
 * @throws {ConfigError | UsageError} naming what is wrong
 */
export async function resolveSweep(
  flags: SweepFlags,
  given: GivenFlags,
  server: readonly string[],
  settings: SweepSettings,
  env: Env,
): Promise<ResolvedConfig> {
  const lowest: ConfigLayer = { source: "defaults", value: settings.defaults };
  const command: ConfigLayer[] =
    server.length === 0
      ? []
      : [
          {
            source: "flags",
            value: { server: { command: [...server] } },
            origin: new Map([["server.command", "--"]]),
          },
        ];
  const resolved = resolveConfig([lowest, ...(await layersOf(flags, given, env)), ...command]);
  refuseUnsupported(resolved.config, resolved.spelled, [...CARRIED_OUT, ...settings.carriesOut]);
  checkApiKey(resolved.config, resolved.provenance.get("target.apiKeyEnv") !== "defaults", env);
  if (flags.resume === true && flags.outputDir === undefined) {
    throw new UsageError("--resume: name the folder of the sweep with --output-dir");
  }
  return resolved;
}

/** The folder that was named, or one of this sweep's own. */
export function outputFolder(flags: SweepFlags, kind: string): string {
  return flags.outputDir ?? `onpar-${kind}-${new Date().toISOString().slice(0, 19).replaceAll(":", "-")}`;
}
