import { benchFlags, foreignFlags, refusedFlags, type BenchFlag } from "@onpar/bench-config";
import { Option, type Command } from "commander";

import { UsageError } from "./usage-error.ts";

/** Every occurrence of each flag, by its key. */
export type GivenFlags = Record<string, (string | boolean)[]>;

/** Headings of the help, and the settings below each, by path or group of paths. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  "What is measured:": ["preset", "target"],
  "In-process engine (--endpoint engine):": ["engine"],
  "Prompts:": ["datasetPath", "dataset", "numPrompts", "inputLen", "seed"],
  "Load:": ["load", "concurrency", "warmupRequests", "cache", "requestTimeoutMs", "retries", "client"],
  "Stopping rule:": ["ignoreEos", "outputLen", "maxTokens", "minTokens", "stop"],
  "Sampling:": ["sampling", "logprobs"],
  "Chat template:": ["skipChatTemplate", "chatTemplate", "chatTemplateKwargs", "enableThinking", "tokenizer"],
  "Limits and repetition:": ["slos", "repetition", "sweep"],
  "Results:": ["output", "outputJson", "outputCsv", "outputMarkdown", "outputHtml", "outputTokenIds"],
};

/** What a command says differently of a setting than the table of benchmark flags, by path. */
export type FlagOverrides = Readonly<
  Record<string, { readonly default?: unknown; readonly description?: string }>
>;

/** What only the command line has to say of a setting. */
const HINTS: Readonly<Record<string, string>> = {
  "target.model": " With --endpoint engine: the GGUF file.",
  requestTimeoutMs: " Takes a unit: 500ms, 30s, 2m, 1h.",
  stop: " May be repeated.",
  outputJson: " Refused where it is there already, unless --overwrite.",
};

const flagByField = new Map(benchFlags.map((flag) => [lastPart(flag.path), flag.flag]));

/**
 * Adds flags of a benchmark to a command, each documented from its table, and gives what the user wrote of them:
 * every occurrence, so that contradictions can be told.
 */
export function addBenchFlags(
  command: Command,
  flags: readonly BenchFlag[],
  overrides: FlagOverrides = {},
): GivenFlags {
  const given: GivenFlags = {};
  for (const flag of flags) addFlag(command, { ...flag, ...overrides[flag.path] }, given);
  return given;
}

/**
 * Adds the flags of other harnesses, without a line in the help: those that are understood, and those that are refused, with
 * or without arguments.
 */
export function addForeignFlags(command: Command, given: GivenFlags): void {
  for (const { flag, key, argument, repeats } of foreignFlags) {
    const spelling = argument === null ? flag : `${flag} <${argument}${repeats ? "..." : ""}>`;
    command.addOption(new Option(spelling).hideHelp());
    const push = (value: string | boolean) => (given[key] ??= []).push(value);
    collect(command, flag, argument === null ? () => push(true) : push);
  }
  for (const { flag, key } of refusedFlags) {
    command.addOption(new Option(`${flag} [VALUE...]`).hideHelp());
    collect(command, flag, (text) => (given[key] ??= []).push(text));
  }
}

function addFlag(command: Command, flag: BenchFlag, given: GivenFlags): void {
  const add = (spelling: string, description: string) =>
    command.addOption(new Option(spelling, description).helpGroup(groupOf(flag.path)));
  const push = (value: string | boolean) => (given[flag.key] ??= []).push(value);
  if (flag.argument === null) {
    const negated = flag.flag.replace("--", "--no-");
    add(flag.flag, describe(flag));
    add(negated, `The opposite of ${flag.flag}.`);
    collect(command, flag.flag, () => push(true));
    collect(command, negated, () => push(false));
  } else {
    add(`${flag.flag} <${flag.argument}>`, describe(flag));
    collect(command, flag.flag, push);
  }
}

function collect(command: Command, flag: string, push: (text: string) => void): void {
  command.on(`option:${flag.slice(2)}`, (text: string | null | undefined) => {
    // The parser takes whatever follows as the argument, also the next flag.
    const name = text?.split("=")[0] ?? "";
    if (name.startsWith("--") && command.options.some((option) => option.long === name)) {
      throw new UsageError(`${flag} needs a value, and is followed by ${name}`);
    }
    push(text ?? "");
  });
}

/** The heading of a setting. @throws {Error} for one that has none. */
export function groupOf(path: string): string {
  for (const [heading, paths] of Object.entries(GROUPS)) {
    if (paths.some((known) => path === known || path.startsWith(`${known}.`))) return heading;
  }
  throw new Error(`the setting ${path} has no heading in the help`);
}

function describe(flag: BenchFlag): string {
  // Descriptions name other settings by field; on the command line they are flags, and what is null is left out.
  const text = flag.description
    .replace(/`(\w+)`/g, (whole, field: string) => flagByField.get(field) ?? whole)
    .replace(/\bnull\b/g, "unset")
    .replace(/^true: (.)/, (_, first: string) => first.toUpperCase())
    .replace(/\. false: /, `. With ${flag.flag.replace("--", "--no-")}: `)
    .replace(/, ms\.$/, ".");
  const choices = flag.choices === null ? "" : ` One of ${flag.choices.join(", ")}.`;
  return `${text}${choices}${HINTS[flag.path] ?? ""}${describeDefault(flag)}`;
}

function describeDefault(flag: BenchFlag): string {
  const value = flag.default;
  if (value === undefined) return " Default: unset.";
  if (typeof value === "boolean") return ` Default: ${value ? flag.flag : flag.flag.replace("--", "--no-")}.`;
  if (typeof value !== "string" && typeof value !== "number") return "";
  return ` Default: ${value}${flag.value === "duration" ? "ms" : ""}.`;
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf(".") + 1);
}
