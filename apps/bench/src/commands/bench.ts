import { benchFlags, resolveConfig, type BenchConfig } from "@onpar/bench-config";
import { breachesOf, renderTerminalReport, type LiveEnd } from "@onpar/bench-report";
import { loadGgufTokenizer } from "@onpar/engine-binding";
import { runBench, type RunResult } from "@onpar/sweep-runner";
import { Option, type Command } from "commander";

import { addConfigFlag, layersOf, type ConfigFlag } from "../config-layers.ts";
import { checkDistinctFiles } from "../distinct-files.ts";
import type { Env } from "../env.ts";
import { exitCodes, type ExitCode } from "../exit-codes.ts";
import { addBenchFlags, addForeignFlags } from "../flags.ts";
import { withInterrupts } from "../interrupts.ts";
import { openLiveDisplay, type LiveDisplay } from "../live/live-display.ts";
import { runOutcome, watchErrors, writeOutcome } from "../outcome-lines.ts";
import { addOutputFlags, renderOptions, type OutputFlags } from "../output.ts";
import { createProgress } from "../progress.ts";
import { serialise } from "../result-file.ts";
import { hasOutputs, openRunOutputs, writtenFiles, type RunOutputs } from "../run-outputs.ts";
import { openTokenIdsFile } from "../token-ids-file.ts";
import { addDemoFlag, apiKeyOf, checkApiKey, withEngine, type DemoFlag } from "../target.ts";
import { refuseUnsupported } from "../unsupported-settings.ts";
import { UsageError } from "../usage-error.ts";
import { packageVersion } from "../version.ts";

interface BenchOptions extends OutputFlags, DemoFlag, ConfigFlag {
  readonly overwrite?: boolean;
  readonly resume?: boolean;
  readonly live?: number | true;
}

const examples = `
Examples:
  onpar run --base-url http://127.0.0.1:8000 --num-prompts 100 --concurrency 8
  onpar run --no-ignore-eos --output-len 512 --endpoint chat-completions --dataset-path prompts.jsonl
  onpar run --output records.jsonl --output-json result.json
  onpar run --num-prompts 1000 --live
  onpar run --endpoint engine --model target.gguf --draft-model draft.gguf --draft-tokens 5
  onpar run --demo --json`;

/** `onpar run`: a benchmark under a stated protocol, and its report. */
export function addBenchCommand(program: Command, env: Env, done: (code: ExitCode) => void): void {
  const command = program
    .command("run")
    .summary("bench a server or a model in this process, and print the report")
    .description(
      "Sends prompts under a stated protocol and prints what was asked for, what was sent, how outputs ended, " +
        "latencies, rates and acceptance. Ctrl-C stops early and keeps what was measured.",
    );
  const given = addBenchFlags(command, benchFlags);
  addForeignFlags(command, given);
  addDemoFlag(command);
  addConfigFlag(command);
  addOutputFlags(command, "Print the result as JSON, and nothing else, on standard output.");
  command.addOption(
    new Option("--overwrite", "Let files of the result replace ones that are there already.").helpGroup(
      "Results:",
    ),
  );
  command.addOption(
    new Option(
      "--resume",
      "Go on with the run in --output that was cut short: requests that it holds are not sent again.",
    ).helpGroup("Results:"),
  );
  command.addOption(
    new Option(
      "--live [PORT]",
      "Serve a page that shows the run as it goes, to this machine only; its address is printed on standard error. Default: any port.",
    )
      .argParser(portOf)
      .helpGroup("Results:"),
  );
  command.addHelpText("after", examples);
  command.action(async (options: BenchOptions) => {
    const { config, provenance, spelled } = resolveConfig(await layersOf(options, given, env));
    refuseUnsupported(config, spelled);
    checkApiKey(config, provenance.get("target.apiKeyEnv") !== "defaults", env);
    checkDistinctFiles(config);
    if (options.overwrite === true && !hasOutputs(config)) {
      throw new UsageError("--overwrite: lets --output-json and the like replace a file, and none is given");
    }
    if (options.resume === true && config.output === null) {
      throw new UsageError("--resume: name the records of the run with --output");
    }
    const outputs = openRunOutputs(config, options.overwrite === true);
    let live: LiveDisplay | null = null;
    let ended: LiveEnd = { result: null, error: null, files: [] };
    try {
      if (options.live !== undefined)
        live = await openLiveDisplay(config, env, options.live === true ? 0 : options.live);
      const { result, firstError } = await measure(
        config,
        {
          quiet: options.quiet === true || given["disableTqdm"] !== undefined,
          resume: options.resume === true,
        },
        env,
        { watch: (observer) => outputs.watch(live?.watch(observer) ?? observer) },
      );
      const lost = outputs.write(result);
      ended = { result, error: lost?.message ?? null, files: writtenFiles(config) };
      if (options.json === true) env.stdout.write(serialise(result));
      // A result that has no file is shown, whatever was asked for.
      else if (options.quiet !== true || lost !== null) {
        env.stdout.write(renderTerminalReport(result, renderOptions(env.stdout, env)));
      }
      if (options.json === true || options.quiet === true) writeOutcome(runOutcome(result, firstError), env);
      if (lost !== null) throw lost;
      done(exitCodeOf(result));
    } catch (error) {
      ended = { ...ended, error: error instanceof Error ? error.message : String(error) };
      throw error;
    } finally {
      outputs.release();
      await live?.end(ended);
    }
  });
}

async function measure(
  config: BenchConfig,
  options: OutputFlags & { readonly resume: boolean },
  env: Env,
  outputs: Pick<RunOutputs, "watch">,
) {
  const progress = createProgress(env, options.quiet !== true);
  const observer = watchErrors(progress);
  const tokenIds = config.outputTokenIds === null ? null : openTokenIdsFile(config.outputTokenIds);
  const result = await withInterrupts(env, async (signal) => {
    try {
      return await withEngine(config, { progress, signal }, (engine) =>
        runBench({
          config,
          apiKey: apiKeyOf(config, env),
          engine,
          toolVersion: packageVersion(),
          observer: outputs.watch(observer),
          onTokenIds: tokenIds?.add,
          loadGgufTokenizer,
          resume: options.resume,
          signal,
        }),
      );
    } finally {
      tokenIds?.close();
      progress.end();
    }
  });
  return { result, firstError: observer.first };
}

function portOf(text: string): number {
  const port = Number(text);
  if (text.trim() !== "" && Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new UsageError(`--live ${text}: give a port from 0 to 65535, or none`);
}

/** An interrupt outranks a breach, a breach a limit on the run that was missed, and that outranks failed requests. */
function exitCodeOf(result: RunResult): ExitCode {
  if (result.interrupted) return exitCodes.interrupted.code;
  if (breachesOf(result).length > 0) return exitCodes.breach.code;
  const missed = result.summary.goodput?.slos.some(({ scope, met }) => scope === "run" && met === 0) === true;
  if (missed) return exitCodes.gate.code;
  const { failed, dropped } = result.summary.counts;
  return failed + dropped > 0 ? exitCodes.failures.code : exitCodes.ok.code;
}
