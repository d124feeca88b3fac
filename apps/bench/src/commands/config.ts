import {
  benchFlags,
  configFields,
  configJsonSchema,
  configToYaml,
  declaredProtocol,
  describeDeparture,
  fingerprint,
  presetDepartures,
  resolveConfig,
  type BenchConfig,
  type ResolvedConfig,
} from "@onpar/bench-config";
import { Option, type Command } from "commander";

import { addConfigFlag, configLayerFromFile, layersOf, type ConfigFlag } from "../config-layers.ts";
import type { Env } from "../env.ts";
import { exitCodes, type ExitCode } from "../exit-codes.ts";
import { addBenchFlags, addForeignFlags } from "../flags.ts";
import { serialise } from "../result-file.ts";
import { addDemoFlag, type DemoFlag } from "../target.ts";
import { unsupportedSettings } from "../unsupported-settings.ts";
import { UsageError } from "../usage-error.ts";

interface ShowOptions extends ConfigFlag, DemoFlag {
  readonly json?: boolean;
  readonly all?: boolean;
}

const examples = `
Examples:
  onpar config show --preset ctxsweep --input-len 8k
  onpar config show --config bench.yaml --all
  onpar config validate bench.yaml
  onpar config schema > onpar.schema.json

A YAML file names the schema in its first line, so that editors check it while it is written:
  # yaml-language-server: $schema=onpar.schema.json`;

/** `onpar config show`, `onpar config validate` and `onpar config schema`. */
export function addConfigCommand(program: Command, env: Env, done: (code: ExitCode) => void): void {
  const config = program
    .command("config")
    .summary("show, check and describe the configuration of a run")
    .description("What a run would be: the settings with their sources, checked, and the schema of a file.")
    .helpCommand("help [command]", "print the help of a command")
    .addHelpText("after", examples)
    .action(() => {
      throw new UsageError("onpar config needs a command: show, validate or schema");
    });
  addShow(config, env, done);
  config
    .command("validate")
    .summary("check a configuration file")
    .description("Prints every problem of a file with its line and column, all at once.")
    .argument("<FILE>", "YAML or JSON file")
    .action((file: string) => {
      const resolved = resolveConfig([configLayerFromFile(file)]);
      env.stdout.write(`${file}: valid\n`);
      writeRemarks(resolved, env);
      done(exitCodes.ok.code);
    });
  config
    .command("schema")
    .summary("print the JSON Schema of a configuration file")
    .description(
      "Prints the JSON Schema of a configuration file, with every setting, its unit and its default.",
    )
    .action(() => {
      env.stdout.write(`${JSON.stringify(configJsonSchema(), null, 2)}\n`);
      done(exitCodes.ok.code);
    });
}

function addShow(config: Command, env: Env, done: (code: ExitCode) => void): void {
  const show = config
    .command("show")
    .summary("print the configuration that a run would have")
    .description(
      "Takes everything that onpar run takes, and prints the settings as a file that gives the same run, each with " +
        "its source. Secrets are never part of it.",
    );
  const given = addBenchFlags(show, benchFlags);
  addForeignFlags(show, given);
  addDemoFlag(show);
  addConfigFlag(show);
  show.addOption(new Option("--all", "Print defaults too.").helpGroup("Results:"));
  show.addOption(
    new Option("--json", "Print configuration, sources, fingerprint and departures as JSON.").helpGroup(
      "Results:",
    ),
  );
  show.action(async (options: ShowOptions) => {
    const resolved = resolveConfig(await layersOf(options, given, env));
    if (options.json === true) env.stdout.write(serialise(shownJson(resolved)));
    else {
      env.stdout.write(annotatedYaml(resolved, options.all === true));
      writeRemarks(resolved, env);
    }
    done(exitCodes.ok.code);
  });
}

function shownJson({ config, provenance }: ResolvedConfig) {
  return {
    config,
    provenance: Object.fromEntries(provenance),
    fingerprint: fingerprint(declaredProtocol(config)),
    departures: presetDepartures(config),
  };
}

/** YAML with the source of each setting behind its line. */
function annotatedYaml({ config, provenance }: ResolvedConfig, all: boolean): string {
  const sources = all ? {} : { sources: new Set(["preset", "file", "env", "flags"] as const), provenance };
  const lines = configToYaml(config, sources).trimEnd().split("\n");
  const parents: string[] = [];
  const annotated = lines.map((line) => {
    const [, indent = "", key] = /^( *)([A-Za-z][A-Za-z0-9]*):/.exec(line) ?? [];
    if (key === undefined) return line;
    parents.length = indent.length / 2;
    parents.push(key);
    const source = provenance.get(parents.join("."));
    const isSetting = configFields.some(({ path }) => path === parents.join("."));
    return isSetting && source !== undefined && !line.endsWith("|") ? `${line} # ${source}` : line;
  });
  return `# fingerprint ${fingerprint(declaredProtocol(config))}\n${annotated.join("\n")}\n`;
}

/** What is worth knowing beside a valid configuration: on standard error, so that the output stays a file. */
function writeRemarks({ config, spelled }: ResolvedConfig, env: Env): void {
  for (const line of departureLines(config)) env.stderr.write(`onpar: ${line}\n`);
  for (const { origin, message } of unsupportedSettings(config, spelled)) {
    env.stderr.write(`onpar: ${origin}: ${message}\n`);
  }
}

/** One line for each setting that leaves the preset. */
function departureLines(config: BenchConfig): string[] {
  return presetDepartures(config).map(
    (departure) => `leaves the preset ${config.preset ?? ""}: ${describeDeparture(departure)}`,
  );
}
