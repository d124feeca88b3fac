import { closeSync, openSync, readSync, statSync } from "node:fs";

import {
  configLayerFromEnv,
  configLayerFromFlags,
  configLayerFromText,
  MAX_CONFIG_CHARS,
  type ConfigLayer,
  type FlagValues,
} from "@onpar/bench-config";
import { Option, type Command } from "commander";

import type { Env } from "./env.ts";
import { demoLayers, type DemoFlag } from "./target.ts";
import { UsageError } from "./usage-error.ts";

/** The flag for a configuration file. */
export interface ConfigFlag {
  readonly config?: string;
}

export function addConfigFlag(command: Command): void {
  command.addOption(
    new Option(
      "--config <FILE>",
      "Settings from a YAML or JSON file; environment variables and flags override it. See onpar config schema.",
    ).helpGroup("What is measured:"),
  );
}

/** Variables under the prefix of the settings that are none: those of the programs, not of a run. */
const PROGRAM_VARIABLES = ["ONPAR_DEBUG", "ONPAR_API_KEY"];
const SERVER_PREFIX = "ONPAR_SERVER_";

/**
 * Everything that a run is configured by, lowest first: file, environment, the demo, flags.
 *
 * @throws {UsageError} when the file cannot be read
 */
export async function layersOf(
  options: ConfigFlag & DemoFlag,
  given: FlagValues,
  env: Env,
): Promise<ConfigLayer[]> {
  const file = options.config === undefined ? [] : [configLayerFromFile(options.config)];
  const demo = await demoLayers(options, given);
  const flags = configLayerFromFlags(given);
  const known = new Set([
    ...PROGRAM_VARIABLES,
    ...Object.keys(env.variables).filter((name) => name.startsWith(SERVER_PREFIX)),
    ...[...file, flags].flatMap(({ value }) => variablesNamed(value)),
  ]);
  return [...file, configLayerFromEnv(env.variables, { known }), ...demo, flags];
}

/** @throws {UsageError} naming the file when it cannot be read, is a folder or is too large */
export function configLayerFromFile(file: string): ConfigLayer {
  return configLayerFromText({ name: file, text: readText(file) });
}

function readText(file: string): string {
  try {
    if (statSync(file).isDirectory()) throw new Error("it is a folder");
    // One byte more than is allowed tells a file that is too large, also one that never ends.
    const buffer = Buffer.alloc(4 * MAX_CONFIG_CHARS + 1);
    const handle = openSync(file, "r");
    let length = 0;
    try {
      for (;;) {
        const read = readSync(handle, buffer, length, buffer.length - length, null);
        length += read;
        if (read === 0 || length === buffer.length) break;
      }
    } finally {
      closeSync(handle);
    }
    return new TextDecoder("utf-8", { fatal: true }).decode(buffer.subarray(0, length));
  } catch (error) {
    const isText = !(error instanceof TypeError);
    const why = isText ? (error instanceof Error ? error.message : String(error)) : "it is no text in UTF-8";
    throw new UsageError(`--config ${file}: cannot be read: ${why}`, { cause: error });
  }
}

/** Names of variables that settings mention: a key, a header from the environment, one that is handed to a server. */
function variablesNamed(value: unknown): string[] {
  if (typeof value === "string") return [value.replace(/^env:/, "")];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(variablesNamed);
}
