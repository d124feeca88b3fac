import {
  benchFlags,
  configLayerFromFlags,
  resolveConfig,
  type BenchConfig,
  type FlagValues,
} from "@onpar/bench-config";
import { renderOneShotReport } from "@onpar/bench-report";
import {
  decodeRateCtxsweep,
  e2elMs,
  ttftMs,
  type Completion,
  type OnText,
  type RequestRecord,
} from "@onpar/sweep-runner";
import type { Command } from "commander";

import type { Env } from "./env.ts";
import { exitCodes, type ExitCode } from "./exit-codes.ts";
import { addBenchFlags, type FlagOverrides } from "./flags.ts";
import { withInterrupts } from "./interrupts.ts";
import { oneShotOutcome, writeOutcome } from "./outcome-lines.ts";
import { addOutputFlags, renderOptions, type OutputFlags } from "./output.ts";
import { createProgress } from "./progress.ts";
import { serialise } from "./result-file.ts";
import { sendOnce, type OneShotInput } from "./send-once.ts";
import { addDemoFlag, apiKeyOf, checkApiKey, demoLayers, withEngine, type DemoFlag } from "./target.ts";
import { refuseUnsupported } from "./unsupported-settings.ts";
import { packageVersion } from "./version.ts";

/** What a one-shot command is asked for, besides the settings. */
export interface OneShotOptions extends OutputFlags, DemoFlag {}

/** Output cap of a one-shot unless --max-tokens says otherwise. */
const MAX_TOKENS = 512;

/** Settings of a benchmark that one request has no use for. */
const BENCH_ONLY = new Set([
  "preset",
  "datasetPath",
  "numPrompts",
  "inputLen",
  "outputLen",
  "concurrency",
  "warmupRequests",
  "skipChatTemplate",
  "logprobs",
  "slos",
  "output",
  "outputJson",
  "outputCsv",
  "outputMarkdown",
  "outputHtml",
  "outputTokenIds",
]);

/** Groups of settings that one request has no use for. */
const BENCH_ONLY_GROUPS = ["dataset.", "load.", "cache.", "client.", "repetition.", "sweep."] as const;

/** Settings as a one-shot starts from them: EOS ends the output, and nothing is sent before the one request. */
interface OneShotDefaults {
  readonly endpoint: BenchConfig["target"]["endpoint"];
  readonly skipChatTemplate: boolean;
}

/** Adds the flags that both one-shot commands have; settings in `without` are left out. */
export function addOneShotFlags(
  command: Command,
  defaults: OneShotDefaults,
  without: ReadonlySet<string> = new Set(),
): FlagValues {
  const overrides: FlagOverrides = {
    "target.endpoint": { default: defaults.endpoint },
    ignoreEos: { default: false },
    maxTokens: { default: MAX_TOKENS, description: "Output cap in tokens." },
    seed: { description: "Seed of the sampling." },
  };
  const flags = benchFlags.filter(
    ({ path }) =>
      !BENCH_ONLY.has(path) &&
      !BENCH_ONLY_GROUPS.some((group) => path.startsWith(group)) &&
      !without.has(path),
  );
  const given = addBenchFlags(command, flags, overrides);
  addDemoFlag(command);
  addOutputFlags(command, "Print text, record and figures as JSON, and nothing else, on standard output.");
  return given;
}

/** The configuration of a one-shot. @throws {ConfigError | UsageError} */
export async function resolveOneShot(
  given: FlagValues,
  options: OneShotOptions,
  defaults: OneShotDefaults,
  env: Env,
): Promise<BenchConfig> {
  const value = {
    target: { endpoint: defaults.endpoint },
    skipChatTemplate: defaults.skipChatTemplate,
    ignoreEos: false,
    maxTokens: MAX_TOKENS,
    numPrompts: 1,
    warmupRequests: 0,
  };
  const demo = await demoLayers(options, given);
  const { config, spelled } = resolveConfig([
    { source: "defaults", value },
    ...demo,
    configLayerFromFlags(given),
  ]);
  refuseUnsupported(config, spelled);
  checkApiKey(config, given["apiKeyEnv"] !== undefined, env);
  return config;
}

/**
 * Sends the one request, writes its text to standard output as it comes, and the figures to standard error when it has
 * ended. Reasoning goes to standard error.
 */
export async function runOneShot(
  config: BenchConfig,
  input: OneShotInput,
  options: OneShotOptions,
  env: Env,
): Promise<ExitCode> {
  const progress = createProgress(env, options.quiet !== true);
  const isJson = options.json === true;
  const isQuiet = options.quiet === true;
  let last = "";
  const result = await withInterrupts(env, async (signal) => {
    try {
      return await withEngine(config, { progress, signal }, (engine) => {
        progress.end();
        const onText: OnText = (text, channel) => {
          if (channel === "reasoning") {
            if (!isQuiet) env.stderr.write(text);
            return;
          }
          last = text;
          if (!isJson) env.stdout.write(text);
        };
        return sendOnce({ config, apiKey: apiKeyOf(config, env), engine, onText, signal }, input);
      });
    } finally {
      progress.end();
    }
  });
  if (isJson) env.stdout.write(serialise(oneShotJson(result)));
  // On a terminal the figures begin on a line of their own; a file gets the text as it is.
  else if (env.stdout.isTerminal && !last.endsWith("\n")) env.stdout.write("\n");
  if (!isQuiet && !isJson) {
    const figures = { ...result, ...figuresOf(result), record: asEnded(result.record) };
    env.stderr.write(`\n${renderOneShotReport(figures, renderOptions(env.stderr, env))}`);
  }
  writeOutcome(oneShotOutcome(result.record), env);
  return exitCodeOf(result);
}

/** A stopped request has no finish from the server: that it was stopped is how it ended. */
function asEnded(record: RequestRecord): RequestRecord {
  return record.state === "aborted" ? { ...record, finish: { raw: null, reason: "abort" } } : record;
}

function figuresOf({ record }: Completion) {
  return { ttftMs: ttftMs(record), e2elMs: e2elMs(record), decodeCtxsweep: decodeRateCtxsweep(record) };
}

function oneShotJson(result: Completion) {
  return {
    schema: "onpar.one-shot/1",
    tool: { name: "onpar", version: packageVersion() },
    text: result.text,
    reasoning: result.reasoning,
    record: result.record,
    figures: figuresOf(result),
    acceptance: result.acceptance,
    acceptanceMissing: result.acceptanceMissing,
  };
}

function exitCodeOf({ record }: Completion): ExitCode {
  if (record.state === "aborted") return exitCodes.interrupted.code;
  return record.state === "failed" ? exitCodes.failures.code : exitCodes.ok.code;
}
