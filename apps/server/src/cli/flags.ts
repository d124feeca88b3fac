import { demoModel } from "@onpar/demo-model";
import { Command, InvalidArgumentError, Option } from "commander";

import type { MetricsSchema } from "../metrics/server-metrics.ts";
import { defaultLimits } from "../server-limits.ts";
import { packageVersion } from "../version.ts";
import { usageError } from "./cli-error.ts";

/** What the command was asked for, checked. */
export interface ServeSettings {
  readonly host: string;
  readonly port: number;
  readonly modelPath: string;
  readonly draftModelPath: string | null;
  readonly draftTokens: number;
  readonly draftLength: "fixed" | "adaptive";
  readonly slots: number;
  /** Tokens per slot; null takes the model's, at most 8192. */
  readonly contextSize: number | null;
  readonly threads: number | "auto";
  /** Null takes the model's. */
  readonly servedModelName: string | null;
  readonly apiKeys: readonly string[];
  readonly apiKeyFile: string | null;
  readonly adminKeys: readonly string[];
  readonly maxBodyBytes: number;
  readonly maxQueue: number;
  readonly strict: boolean;
  readonly allowRequestTemplates: boolean;
  readonly metricsSchema: MetricsSchema;
  readonly drainSeconds: number;
  readonly quiet: boolean;
}

function integerFrom(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max) {
      throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`);
    }
    return value;
  };
}

/** Threads as a number, or to be measured. */
function threads(text: string): number | "auto" {
  if (text === "auto") return text;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > 1024) {
    throw new InvalidArgumentError("Expected auto or a whole number from 1 to 1024.");
  }
  return value;
}

function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}

/** The command with its flags; `parseServeFlags` reads them. */
export function serveCommand(): Command {
  return new Command("onpar-server")
    .description(
      "OpenAI-compatible server on an in-process engine that publishes its speculative-decoding acceptance.",
    )
    .version(packageVersion())
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--port <number>", "port to listen on; 0 takes any free one", integerFrom(0, 65_535), 8000)
    .option("--model <file>", "GGUF file of the model (default: the bundled one)")
    .option(
      "--draft-model <file>",
      "GGUF file of the draft model (default: the bundled one, for the bundled model)",
    )
    .option("--no-draft", "decode without speculation")
    .option("--draft-tokens <number>", "draft budget: most tokens drafted per step", integerFrom(1, 64), 5)
    .addOption(
      new Option("--draft-length <kind>", "draft K tokens, or as many as acceptance pays for")
        .choices(["fixed", "adaptive"])
        .default("fixed"),
    )
    .option("--slots <number>", "requests that decode at the same time", integerFrom(1, 256), 4)
    .option(
      "--ctx <tokens>",
      "context of each slot (default: the model's, at most 8192)",
      integerFrom(64, 2 ** 24),
    )
    .option("--threads <number>", "CPU threads of the engine; auto measures how many are fastest", threads, 1)
    .option("--served-model-name <name>", "name that clients ask for (default: the model's)")
    .option("--api-key <key>", "key that clients must send; repeatable (or ONPAR_API_KEY)", collect)
    .option(
      "--max-body-bytes <number>",
      "largest request body",
      integerFrom(1024, 2 ** 30),
      defaultLimits.maxBodyBytes,
    )
    .option("--api-key-file <file>", "file with keys, one a line")
    .option("--admin-key <key>", "key of the admin endpoints; repeatable (or ONPAR_ADMIN_KEY)", collect)
    .option(
      "--max-queue <number>",
      "requests that may wait; those beyond get 429",
      integerFrom(0, 1_000_000),
      defaultLimits.maxWaiting,
    )
    .option("--strict", "refuse fields of requests that are not known", false)
    .option("--allow-request-templates", "render chat templates that come with requests", false)
    .addOption(
      new Option("--metrics-schema <names>", "names on the metrics page")
        .choices(["vllm", "vllm+sglang"])
        .default("vllm"),
    )
    .option(
      "--drain-seconds <number>",
      "time for running requests after a stop request",
      integerFrom(0, 3600),
      10,
    )
    .option("--config <file>", "YAML or JSON file with these flags as settings")
    .option("--quiet", "no progress and no warnings", false);
}

interface RawFlags {
  readonly host: string;
  readonly port: number;
  readonly model?: string;
  readonly draftModel?: string;
  readonly draft: boolean;
  readonly draftTokens: number;
  readonly draftLength: "fixed" | "adaptive";
  readonly slots: number;
  readonly ctx?: number;
  readonly threads: number | "auto";
  readonly servedModelName?: string;
  readonly apiKey?: readonly string[];
  readonly apiKeyFile?: string;
  readonly adminKey?: readonly string[];
  readonly maxQueue: number;
  readonly strict: boolean;
  readonly allowRequestTemplates: boolean;
  readonly metricsSchema: MetricsSchema;
  readonly drainSeconds: number;
  readonly maxBodyBytes: number;
  readonly quiet: boolean;
}

function draftModelPath(flags: RawFlags): string | null {
  if (!flags.draft) {
    if (flags.draftModel !== undefined)
      throw usageError("--draft-model and --no-draft contradict each other.");
    return null;
  }
  // The bundled draft shares its vocabulary with the bundled model only.
  return flags.draftModel ?? (flags.model === undefined ? demoModel.draft.path : null);
}

/** @throws {CliError} exit code 2 */
export function checkKeys(keys: readonly string[], flag: string): void {
  if (keys.some((key) => !/^\S+$/.test(key))) throw usageError(`${flag} must not be empty or hold spaces.`);
}

/** @throws {CliError} exit code 2, when flags contradict each other or a key is unusable */
export function readFlags(
  command: Command,
  variables: Readonly<Record<string, string | undefined>>,
): ServeSettings {
  const flags = command.opts<RawFlags>();
  const apiKeys = [...(flags.apiKey ?? []), ...(variables["ONPAR_API_KEY"]?.split(",") ?? [])];
  checkKeys(apiKeys, "--api-key (or ONPAR_API_KEY)");
  const adminKeys = [...(flags.adminKey ?? []), ...(variables["ONPAR_ADMIN_KEY"]?.split(",") ?? [])];
  checkKeys(adminKeys, "--admin-key (or ONPAR_ADMIN_KEY)");
  // An empty address would be every address of the machine.
  const texts: readonly (readonly [string, string | undefined])[] = [
    ["--host", flags.host],
    ["--model", flags.model],
    ["--draft-model", flags.draftModel],
    ["--served-model-name", flags.servedModelName],
    ["--api-key-file", flags.apiKeyFile],
  ];
  for (const [flag, text] of texts) {
    if (text?.trim() === "") throw usageError(`${flag} must not be empty.`);
  }
  return {
    host: flags.host,
    port: flags.port,
    modelPath: flags.model ?? demoModel.target.path,
    draftModelPath: draftModelPath(flags),
    draftTokens: flags.draftTokens,
    draftLength: flags.draftLength,
    slots: flags.slots,
    contextSize: flags.ctx ?? null,
    threads: flags.threads,
    servedModelName: flags.servedModelName ?? (flags.model === undefined ? demoModel.name : null),
    apiKeys,
    apiKeyFile: flags.apiKeyFile ?? null,
    adminKeys,
    maxBodyBytes: flags.maxBodyBytes,
    maxQueue: flags.maxQueue,
    strict: flags.strict,
    allowRequestTemplates: flags.allowRequestTemplates,
    metricsSchema: flags.metricsSchema,
    drainSeconds: flags.drainSeconds,
    quiet: flags.quiet,
  };
}
