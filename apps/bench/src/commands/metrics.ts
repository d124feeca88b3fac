import { MetricsError, readNormal, watchMetrics, type WatchPoint } from "@onpar/metrics-client";
import { Option, type Command } from "commander";

import type { Env } from "../env.ts";
import { exitCodes, type ExitCode } from "../exit-codes.ts";
import { withInterrupts } from "../interrupts.ts";
import { ENGINE_NAMES, openMetricsSource, type MetricsSource } from "../metrics/metrics-source.ts";
import { describeReading, watchHeading, watchLine } from "../metrics/metrics-text.ts";
import { serialise } from "../result-file.ts";
import { UsageError } from "../usage-error.ts";

interface MetricsFlags {
  readonly watch?: boolean;
  readonly interval: number;
  readonly count?: number;
  readonly json?: boolean;
  readonly raw?: boolean;
  readonly page: readonly string[];
  readonly engine?: string;
  readonly model?: string;
  readonly apiKeyEnv: string;
  readonly timeout: number;
}

const examples = `
One reading tells load now, and tokens, requests, latencies and acceptance since the server's start. With --watch each line tells
what happened since the line before, and the acceptance since the watch began.

Examples:
  onpar metrics http://127.0.0.1:8000
  onpar metrics http://127.0.0.1:8000 --watch --interval 2
  onpar metrics http://10.0.0.1:8000 --page http://10.0.0.1:9001/metrics --page http://10.0.0.2:9001/metrics
  onpar metrics http://127.0.0.1:8080 --watch --count 60 --json > load.jsonl`;

/** `onpar metrics URL`: load and acceptance of a server, once or live. */
export function addMetricsCommand(program: Command, env: Env, done: (code: ExitCode) => void): void {
  program
    .command("metrics")
    .argument("<URL>", "the server, or its metrics page")
    .summary("read load and acceptance of a server from its metrics page, once or live")
    .description(
      "Reads a server's metrics page, tells which engine it is, and prints load, tokens, latencies and speculative-decoding acceptance, " +
        "each figure with its formula and source. What the server does not tell is left out.",
    )
    .option("--watch", "Read again and again until Ctrl-C, a line each time.")
    .option("--interval <S>", "Time between two readings, s.", numberOf("--interval", 0.05, 86_400), 1)
    .option("--count <N>", "Readings in all, then end. Needs --watch.", countOf)
    .option("--json", "Print readings as JSON: one document, or one line per reading with --watch.")
    .option("--raw", "Print the page as the server sends it.")
    .option(
      "--page <URL>",
      "Metrics page, where it is elsewhere; repeatable, for the workers of one deployment.",
      collect,
      [],
    )
    .addOption(new Option("--engine <NAME>", "Read the page as this engine's.").choices(ENGINE_NAMES))
    .option("--model <NAME>", "Only the figures of this model, where a page has several.")
    .option("--api-key-env <VARIABLE>", "Environment variable with the key.", "OPENAI_API_KEY")
    .option("--timeout <S>", "Longest wait for a page, s.", numberOf("--timeout", 0.1, 3600), 10)
    .addHelpText("after", examples)
    .action(async (url: string, flags: MetricsFlags) => {
      checkFlags(flags);
      const code = await withInterrupts(env, async (signal) => {
        const source = sourceOf(url, flags, env, signal);
        try {
          if (flags.raw === true) env.stdout.write(await source.raw());
          else if (flags.watch === true) return await watch(source, flags, env, signal);
          else await readOnce(source, flags, env);
          return exitCodes.ok.code;
        } catch (error) {
          if (!(error instanceof MetricsError)) throw error;
          if (signal.aborted) return exitCodes.interrupted.code;
          env.stderr.write(`onpar: ${error.message}\n`);
          return error.code === "METRICS_URL_INVALID" ? exitCodes.usage.code : exitCodes.unusable.code;
        }
      });
      done(code);
    });
}

function checkFlags({ watch: isWatched, count, raw, json }: MetricsFlags): void {
  if (count !== undefined && isWatched !== true)
    throw new UsageError("--count: counts the readings of --watch; add --watch");
  if (raw === true && (isWatched === true || json === true)) {
    throw new UsageError("--raw: prints one page as it is; leave out --watch and --json");
  }
}

function sourceOf(url: string, flags: MetricsFlags, env: Env, signal: AbortSignal): MetricsSource {
  const key = env.variables[flags.apiKeyEnv] ?? "";
  return openMetricsSource({
    url,
    pages: flags.page,
    engine: ENGINE_NAMES.find((name) => name === flags.engine) ?? null,
    model: flags.model ?? null,
    scrape: {
      signal,
      timeoutMs: flags.timeout * 1000,
      headers: key === "" ? {} : { authorization: `Bearer ${key}` },
    },
  });
}

async function readOnce(source: MetricsSource, { json }: MetricsFlags, env: Env): Promise<void> {
  const page = await source.read();
  const { detection, options } = await source.identify(page);
  const reading = readNormal(page, options);
  const [url = ""] = source.urls;
  if (json !== true) return env.stdout.write(describeReading(reading, detection, url));
  const { version, confidence, evidence } = detection;
  env.stdout.write(
    serialise({ schema: "onpar.metrics/1", urls: source.urls, version, confidence, evidence, ...reading }),
  );
}

/** The first page has to be there, as for a single reading; later ones that cannot be read are lines of their own. */
async function watch(
  source: MetricsSource,
  flags: MetricsFlags,
  env: Env,
  signal: AbortSignal,
): Promise<ExitCode> {
  const first = await source.read();
  const { detection, options } = await source.identify(first);
  if (flags.json !== true) {
    const name = `${detection.dialect?.title ?? "unknown server"}${detection.version === null ? "" : ` ${detection.version}`}`;
    env.stdout.write(`${name} at ${source.urls.join(", ")}\n${watchHeading()}\n`);
  }
  const points = watchMetrics(() => source.read(), {
    ...options,
    periodMs: flags.interval * 1000,
    signal,
    ...(flags.count === undefined ? {} : { count: flags.count }),
  });
  let failed = 0;
  for await (const point of points) {
    if (signal.aborted) break;
    if (point.error !== null) failed++;
    env.stdout.write(flags.json === true ? `${JSON.stringify(jsonOf(point))}\n` : `${watchLine(point)}\n`);
  }
  // Ctrl-C is how a watch without a count is meant to end.
  if (signal.aborted && flags.count !== undefined) return exitCodes.interrupted.code;
  return failed > 0 ? exitCodes.failures.code : exitCodes.ok.code;
}

function jsonOf({ scheduledMs, missed, reading, window, total, error }: WatchPoint): object {
  return {
    schema: "onpar.metrics-sample/1",
    at: new Date(scheduledMs).toISOString(),
    missed,
    error: error === null ? null : { code: error.code, message: error.message },
    reading,
    window,
    total,
  };
}

function collect(value: string, list: readonly string[]): string[] {
  return [...list, value];
}

function numberOf(flag: string, least: number, most: number): (text: string) => number {
  return (text) => {
    const value = text.trim() === "" ? NaN : Number(text);
    if (value >= least && value <= most) return value;
    throw new UsageError(`${flag} ${text}: give a number from ${least} to ${most}`);
  };
}

function countOf(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= 10_000_000) return value;
  throw new UsageError(`--count ${text}: give a whole number of at least 1`);
}
