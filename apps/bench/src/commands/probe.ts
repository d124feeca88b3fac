import { configLayerFromFlags, resolveConfig, type BenchConfig, type FlagValues } from "@onpar/bench-config";
import { probeServer, type ProbeResult } from "@onpar/sweep-runner";
import type { Command } from "commander";

import type { Env } from "../env.ts";
import { exitCodes, type ExitCode } from "../exit-codes.ts";
import { oneLine } from "../failure.ts";
import { withInterrupts } from "../interrupts.ts";
import { serialise } from "../result-file.ts";
import { UsageError } from "../usage-error.ts";

interface ProbeFlags {
  readonly model?: string;
  readonly apiKeyEnv: string;
  readonly requestTimeout: number;
  readonly limit: number;
  readonly header?: readonly string[];
  readonly caFile?: string;
  readonly insecure?: boolean;
  readonly json?: boolean;
}

const examples = `
What could not be proved is unknown, never guessed. Nothing on the server is changed.

Examples:
  onpar probe http://127.0.0.1:8000
  onpar probe https://models.example --ca-file ca.pem --header "X-Team=env:TEAM"
  onpar probe http://127.0.0.1:8080 --json`;

/** `onpar probe URL`: what a server is, and what a protocol can rely on there. */
export function addProbeCommand(program: Command, env: Env, done: (code: ExitCode) => void): void {
  program
    .command("probe")
    .argument("<URL>", "the server")
    .summary("find out what a server is and what a protocol can rely on there")
    .description(
      "Asks a server what it is, and proves by small requests what it does with ignore_eos, min_tokens, seed, template variables and " +
        "unknown keys: a table with one line of advice per gap.",
    )
    .option("--model <NAME>", "Served model; else the first that is listed.")
    .option("--api-key-env <VARIABLE>", "Environment variable with the key.", "OPENAI_API_KEY")
    .option(
      "--header <NAME=VALUE>",
      "Header of every request; env:VARIABLE reads it from the environment. May be repeated.",
      (value: string, before?: readonly string[]) => [...(before ?? []), value],
    )
    .option("--ca-file <FILE>", "PEM file with the server's certificate authority. Default: the system's.")
    .option("--insecure", "Do not check the server's certificate.")
    .option("--request-timeout <S>", "Longest wait for one answer, s.", secondsOf("--request-timeout"), 10)
    .option(
      "--limit <S>",
      "Time for all; what is not proved by then stays unknown, s.",
      secondsOf("--limit"),
      60,
    )
    .option("--json", "Print the result as JSON.")
    .addHelpText("after", examples)
    .action(async (url: string, flags: ProbeFlags) => {
      if (!/^https?:\/\/[^/]/.test(url) || !URL.canParse(url))
        throw new UsageError(`${url} is no address of a server: write http://HOST:PORT`);
      const { headers, caFile, insecureTls } = wayTo(url, flags);
      const key = env.variables[flags.apiKeyEnv];
      const result = await withInterrupts(env, (signal) =>
        probeServer({
          baseUrl: url,
          apiKey: key === undefined || key === "" ? null : key,
          apiKeyEnv: flags.apiKeyEnv,
          model: flags.model ?? null,
          headers,
          caFile,
          insecureTls,
          requestTimeoutMs: flags.requestTimeout * 1000,
          limitMs: flags.limit * 1000,
          signal,
        }),
      );
      env.stdout.write(flags.json === true ? serialise(result) : describe(result));
      done(exitCodes.ok.code);
    });
}

/** Headers and certificates, under the rules that they have in every command. */
function wayTo(url: string, { header, caFile, insecure }: ProbeFlags): BenchConfig["target"] {
  const given: FlagValues = {
    baseUrl: url,
    ...(header === undefined ? {} : { header }),
    ...(caFile === undefined ? {} : { caFile }),
    ...(insecure === undefined ? {} : { insecure }),
  };
  return resolveConfig([configLayerFromFlags(given)]).config.target;
}

function secondsOf(flag: string): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!Number.isFinite(value) || value < 0.1 || value > 3600 || text.trim() === "")
      throw new UsageError(`${flag} ${text}: write seconds from 0.1 to 3600`);
    return value;
  };
}

function describe(result: ProbeResult): string {
  const { engine, checks } = result;
  const name = [engine.name ?? "unknown engine", engine.version].filter(Boolean).join(" ");
  const width = Math.max(...checks.map((check) => check.name.length));
  const lines = [
    `${oneLine(name)} at ${result.url}`,
    `  model    ${oneLine(result.model)}${result.served.length > 1 ? ` (of ${result.served.length})` : ""}`,
    `  context  ${result.contextLimit === null ? "unknown" : `${result.contextLimit} tokens`}`,
    ...checks.flatMap((check) => [
      `  ${check.name.padEnd(width)}  ${check.status.padEnd(7)}  ${oneLine(check.seen)}`,
      ...(check.advice === null ? [] : [`  ${" ".repeat(width)}           -> ${oneLine(check.advice)}`]),
    ]),
    `${result.generations} small generations in ${(result.durationMs / 1000).toFixed(1)} s`,
  ];
  return `${lines.join("\n")}\n`;
}
