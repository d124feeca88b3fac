import { readFileSync } from "node:fs";

import { declaredProtocol, parseSlo, presetNamed, resolveConfig } from "@onpar/bench-config";
import { gateRun, junitXml, runSummaryMarkdown, type Check, type GateRules } from "@onpar/bench-report";
import type { RunResult } from "@onpar/sweep-runner";
import type { Command } from "commander";

import { configLayerFromFile } from "../config-layers.ts";
import type { Env } from "../env.ts";
import { exitCodes, type ExitCode } from "../exit-codes.ts";
import { oneLine } from "../failure.ts";
import { renderOptions } from "../output.ts";
import { loadResult } from "../results/load-results.ts";
import { writeReportFile } from "../results/write-file.ts";
import { UsageError } from "../usage-error.ts";

interface GateFlags {
  readonly protocol?: string;
  readonly slo: readonly string[];
  readonly json?: boolean;
  readonly junit?: string;
  readonly summary?: string;
  readonly overwrite?: boolean;
}

const examples = `
Examples:
  onpar gate result.json --slo "p99(ttft)<=500ms" --slo "error-rate<=0%"
  onpar gate result.json --protocol ctxsweep --junit gate.xml --summary "$GITHUB_STEP_SUMMARY"`;

/** `onpar gate`: one run against its own statements, a protocol and limits. */
export function addGateCommand(program: Command, env: Env, done: (code: ExitCode) => void): void {
  program
    .command("gate")
    .summary("judge one run: audit, invariants, protocol, limits")
    .description(
      "Judges the result of one run: every request accounted for, no breach of what was stated, the client not the limit, and " +
        "the protocol and the limits that are asked for. Ends with 6 where something fails.",
    )
    .argument("<RESULT>", "result of onpar run (--output-json)")
    .option(
      "--protocol <NAME|FILE>",
      "Preset, configuration or result whose protocol the run ought to have: each part that is stated has to be equal.",
    )
    .option(
      "--slo <LIMIT>",
      "Limit, such as ttft<=500ms (every request), p99(tpot)<=50ms, error-rate<=1%. May be repeated.",
      (text: string, before: readonly string[]) => [...before, limitOf(text)],
      [],
    )
    .option("--json", "Print the checks as JSON, and nothing else, on standard output.")
    .option("--junit <FILE>", "Write the checks as JUnit XML.")
    .option("--summary <FILE>", "Append a summary in Markdown to this file (a job's summary on GitHub).")
    .option("--overwrite", "Let --junit replace a file that is there already.")
    .addHelpText("after", examples)
    .action((file: string, flags: GateFlags) => {
      const { run } = loadResult(file, { withRecords: false });
      if (run === null) throw new UsageError(`${file}: a gate judges the result of a run (onpar.run/2)`);
      const rules: GateRules = { protocol: protocolNamed(flags.protocol), slos: flags.slo };
      const checks = gateRun(run, rules);
      const failed = checks.filter(({ passed }) => !passed);
      if (flags.json === true)
        env.stdout.write(`${JSON.stringify({ passed: failed.length === 0, checks }, null, 2)}\n`);
      else env.stdout.write(checkLines(checks, env));
      if (flags.junit !== undefined)
        writeReportFile("--junit", flags.junit, junitXml("onpar gate", checks), flags.overwrite === true);
      if (flags.summary !== undefined) appendSummary(flags.summary, run, checks);
      done(failed.length === 0 ? exitCodes.ok.code : exitCodes.gate.code);
    });
}

function checkLines(checks: readonly Check[], env: Env): string {
  const { color } = renderOptions(env.stdout, env);
  const mark = (passed: boolean): string => {
    const text = passed ? "pass" : "FAIL";
    return color ? `\u001b[${passed ? 32 : 31}m${text}\u001b[39m` : text;
  };
  const failed = checks.filter(({ passed }) => !passed).length;
  return `${[
    failed === 0 ? `passed: ${checks.length} checks` : `failed: ${failed} of ${checks.length} checks`,
    ...checks.map(({ name, passed, message }) => `  ${mark(passed)}  ${oneLine(`${name}: ${message}`)}`),
  ].join("\n")}\n`;
}

/** @throws {UsageError} for a name that is neither a preset nor a file */
function protocolNamed(name: string | undefined): GateRules["protocol"] {
  if (name === undefined) return null;
  if (presetNamed(name) !== undefined) {
    const { config } = resolveConfig([{ source: "flags", value: { preset: name }, origin: new Map() }]);
    return { name, protocol: statedBy(name, declaredProtocol(config)) };
  }
  if (/\.ya?ml$/i.test(name)) {
    const { config } = resolveConfig([configLayerFromFile(name)]);
    return { name, protocol: declaredProtocol(config) };
  }
  const { result } = loadResult(name, { withRecords: false });
  return { name, protocol: result.protocol };
}

/** What a preset leaves to whoever runs it is not part of its protocol. */
function statedBy(name: string, protocol: ReturnType<typeof declaredProtocol>) {
  const free = presetNamed(name)?.free ?? [];
  const { workload, load, sampling, ...rest } = protocol;
  return {
    ...rest,
    model: null,
    tokenizer: null,
    workload: {
      kind: workload?.kind ?? null,
      task: workload?.task ?? null,
      promptTokens: free.includes("inputLen") ? null : (workload?.promptTokens ?? null),
    },
    load: free.includes("concurrency") ? { ...load, concurrency: null } : (load ?? null),
    sampling: free.includes("sampling.temperature") ? { ...sampling, temperature: null } : (sampling ?? null),
    repetition: free.includes("repetition.boots")
      ? { reps: rest.repetition?.reps ?? null }
      : (rest.repetition ?? null),
    engine: null,
    hardware: null,
  };
}

function limitOf(text: string): string {
  try {
    return parseSlo(text).text;
  } catch (error) {
    throw new UsageError(`--slo ${error instanceof Error ? error.message : text}`, { cause: error });
  }
}

function appendSummary(file: string, run: RunResult, checks: readonly Check[]): void {
  const failed = checks.filter(({ passed }) => !passed);
  const lines = failed.map(({ name, message }) => `- ${oneLine(`${name}: ${message}`)}`);
  const verdict = failed.length === 0 ? "The gate passed." : `The gate failed:\n\n${lines.join("\n")}`;
  const before = readIfThere(file);
  writeReportFile("--summary", file, `${before}${runSummaryMarkdown(run)}\n${verdict}\n`, true);
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
