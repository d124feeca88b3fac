import { presetNamed, presets, settingsToYaml, type Preset } from "@onpar/bench-config";
import { Option, type Command } from "commander";

import type { Env } from "../env.ts";
import { exitCodes, type ExitCode } from "../exit-codes.ts";
import { serialise } from "../result-file.ts";
import { UsageError } from "../usage-error.ts";

/** `onpar presets`: published protocols as data. */
export function addPresetsCommand(program: Command, env: Env, done: (code: ExitCode) => void): void {
  program
    .command("presets")
    .summary("list published protocols that a run can start from, or show one")
    .description(
      "Lists the presets, or shows one of them: where it was published, what it sets, what is left to whoever runs it, " +
        "and where this program cannot do the same.",
    )
    .argument("[NAME]", "preset to show")
    .addOption(new Option("--json", "Print as JSON.").helpGroup("Results:"))
    .action((name: string | undefined, options: { readonly json?: boolean }) => {
      const chosen = name === undefined ? presets : [presetOf(name)];
      if (options.json === true) env.stdout.write(serialise(name === undefined ? chosen : chosen[0]));
      else if (name === undefined) env.stdout.write(list(chosen));
      else env.stdout.write(chosen.map(show).join("\n"));
      done(exitCodes.ok.code);
    });
}

function presetOf(name: string): Preset {
  const preset = presetNamed(name);
  if (preset !== undefined) return preset;
  const known = presets.map((one) => one.name).join(", ");
  throw new UsageError(`no preset is called ${JSON.stringify(name)}; known are ${known}`);
}

function list(chosen: readonly Preset[]): string {
  const width = Math.max(...chosen.map(({ name }) => name.length));
  return chosen
    .map(({ name, title, source }) => `${name.padEnd(width)}  ${title} (${source.date})\n`)
    .join("");
}

function show({ name, title, source, settings, free, ladder, departures }: Preset): string {
  const lines = [
    `${name}: ${title}`,
    `source: ${source.title}, ${source.date}`,
    `        ${source.url}`,
    "",
    "sets:",
    ...settingLines(settings),
    "",
    `left to whoever runs it: ${free.join(", ")}`,
    ...(ladder === null ? [] : [`ladder: ${ladder.field} ${ladder.values.map(String).join(", ")}`]),
    "otherwise than the source:",
    ...departures.map((text) => `  - ${text}`),
  ];
  return `${lines.join("\n")}\n`;
}

/** The settings as they would stand in a file. */
function settingLines(settings: Preset["settings"]): string[] {
  return settingsToYaml(settings)
    .trimEnd()
    .split("\n")
    .map((line) => `  ${line}`);
}
