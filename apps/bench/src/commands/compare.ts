import {
  checkRegressions,
  checkRequired,
  compareResults,
  comparisonMarkdown,
  junitXml,
  parseFailOn,
  renderComparison,
  renderComparisonHtml,
  type Check,
  type Comparison,
  type FailOn,
  type Result,
  type Side,
} from "@onpar/bench-report";
import { Option, type Command } from "commander";

import type { Env } from "../env.ts";
import { exitCodes, type ExitCode } from "../exit-codes.ts";
import { oneLine } from "../failure.ts";
import { renderOptions } from "../output.ts";
import { loadResult } from "../results/load-results.ts";
import { writeReportFile } from "../results/write-file.ts";
import { UsageError } from "../usage-error.ts";

interface CompareFlags {
  readonly require?: "matched" | "matched-except";
  readonly failOn: readonly FailOn[];
  readonly threshold: number;
  readonly seed: number;
  readonly json?: boolean;
  readonly md?: boolean;
  readonly html?: string;
  readonly junit?: string;
  readonly overwrite?: boolean;
}

const examples = `
The first line is the verdict: matched, matched except …, or not comparable. Two results that are not comparable get no ratio.
Several files of one side, separated by commas, are boots of its server: their spread goes into the intervals.

Examples:
  onpar compare before.json after.json
  onpar compare boot1.json,boot2.json,boot3.json after1.json,after2.json,after3.json
  onpar compare published.csv ours.json
  onpar compare main.json branch.json --require matched-except --fail-on regression:5%`;

/** `onpar compare`: results beside each other, the verdict on them first. */
export function addCompareCommand(program: Command, env: Env, done: (code: ExitCode) => void): void {
  program
    .command("compare")
    .summary("compare results, by their protocols first")
    .description(
      "Compares results of this program and of other harnesses: whether they may be compared, then figure by figure with " +
        "bootstrap intervals, paired where the same prompts were sent. The first one is A; every other one is laid beside it.",
    )
    .argument("<A>", "result file, or several boots separated by commas")
    .argument("<B...>", "result files to lay beside it")
    .addOption(
      new Option("--require <VERDICT>", "End with 7 where the verdict is worse than this.").choices([
        "matched",
        "matched-except",
      ]),
    )
    .addOption(
      new Option(
        "--fail-on <RULE>",
        "End with 6 where a figure is significantly worse: regression:5%, or regression:5%:ttftMs. May be repeated.",
      )
        .argParser(collectRules)
        .default([], "none"),
    )
    .option("--threshold <SHARE>", "Changes smaller than this are called small.", shareOf, 0.02)
    .option("--seed <N>", "Seed of the bootstrap.", seedOf, 0)
    .option("--json", "Print the comparison as JSON, and nothing else, on standard output.")
    .option("--md", "Print it as Markdown.")
    .option("--html <FILE>", "Write it as one HTML file with ratios and both ladders over each other.")
    .option("--junit <FILE>", "Write what --require and --fail-on checked as JUnit XML.")
    .option("--overwrite", "Let --html and --junit replace files that are there already.")
    .addHelpText("after", examples)
    .action((first: string, others: readonly string[], flags: CompareFlags) => {
      const a = loadSide(first);
      const sides = others.map(loadSide);
      const comparisons = sides.map((b) =>
        compareResults(a, b, { threshold: flags.threshold, seed: flags.seed }),
      );
      if (flags.html !== undefined) writeHtml(flags.html, a, sides, comparisons, flags.overwrite === true);
      env.stdout.write(shown(comparisons, flags, env));
      const required = comparisons.flatMap((one) =>
        flags.require === undefined ? [] : [checkRequired(one, flags.require)],
      );
      const regressions = comparisons.flatMap((one) =>
        flags.failOn.flatMap((rule) => checkRegressions(one, rule)),
      );
      if (flags.junit !== undefined) {
        const xml = junitXml("onpar compare", [...required, ...regressions]);
        writeReportFile("--junit", flags.junit, xml, flags.overwrite === true);
      }
      const isIncomparable =
        flags.failOn.length > 0 && comparisons.some(({ verdict }) => verdict === "not-comparable");
      for (const check of [...required, ...regressions].filter(({ passed }) => !passed)) {
        env.stderr.write(`onpar: ${describeCheck(check)}\n`);
      }
      done(exitCodeOf(required, regressions, isIncomparable));
    });
}

/** @throws {UsageError} for more than two sides: a page shows one comparison */
function writeHtml(
  file: string,
  a: Side,
  sides: readonly Side[],
  comparisons: readonly Comparison[],
  overwrite: boolean,
): void {
  const [b, ...more] = sides;
  const [comparison] = comparisons;
  if (b === undefined || comparison === undefined || more.length > 0)
    throw new UsageError(`--html ${file}: shows A and one B, and ${sides.length} were given`);
  writeReportFile("--html", file, renderComparisonHtml(comparison, a, b), overwrite);
}

/** A check that failed, in a line. */
export function describeCheck({ name, message }: Check): string {
  return oneLine(`failed: ${name}: ${message}`);
}

function loadSide(argument: string): Side {
  const files = argument.split(",").filter((file) => file !== "");
  const results: Result[] = files.map((file) => loadResult(file).result);
  const [first, ...rest] = results;
  if (first === undefined) throw new UsageError(`${JSON.stringify(argument)} names no file`);
  return { name: files.join(", "), results: [first, ...rest] };
}

function shown(comparisons: readonly Comparison[], flags: CompareFlags, env: Env): string {
  if (flags.json === true)
    return `${JSON.stringify(comparisons.length === 1 ? comparisons[0] : comparisons, null, 2)}\n`;
  const render = (one: Comparison): string =>
    flags.md === true ? comparisonMarkdown(one) : renderComparison(one, renderOptions(env.stdout, env));
  return comparisons.map(render).join("\n");
}

function exitCodeOf(
  required: readonly Check[],
  regressions: readonly Check[],
  isIncomparable: boolean,
): ExitCode {
  if (isIncomparable || required.some(({ passed }) => !passed)) return exitCodes.incomparable.code;
  return regressions.some(({ passed }) => !passed) ? exitCodes.gate.code : exitCodes.ok.code;
}

function collectRules(text: string, before: readonly FailOn[]): FailOn[] {
  const rule = parseFailOn(text);
  if (rule === null)
    throw new UsageError(
      `--fail-on ${text}: give regression:5%, or regression:5%:FIGURE with a figure such as ttftMs or outputTokensPerS`,
    );
  return [...before, rule];
}

function shareOf(text: string): number {
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(text)?.[1];
  const share = percent === undefined ? Number(text) : Number(percent) / 100;
  if (text.trim() !== "" && share >= 0 && share < 1) return share;
  throw new UsageError(`--threshold ${text}: give a share such as 2% or 0.02`);
}

function seedOf(text: string): number {
  const seed = Number(text);
  if (Number.isSafeInteger(seed) && seed >= 0) return seed;
  throw new UsageError(`--seed ${text}: give a whole number`);
}
