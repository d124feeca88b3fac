import type { ConfigIssue } from "./error.ts";
import { fieldAt } from "./fields.ts";
import { benchFlags as allFlags } from "./flags.ts";
import type { BenchFlag } from "./flags.ts";
import { refusedFlags } from "./foreign/refused.ts";
import { aliases, fixed } from "./foreign/table.ts";
import { translate } from "./foreign/translate.ts";
import type { Setting } from "./foreign/translate.ts";
import { nest } from "./layers.ts";
import type { ConfigLayer, ConfigSource } from "./layers.ts";
import type { BenchConfig } from "./schema.ts";
import { readSeconds } from "./units.ts";
import { isPlainObject, valueAt } from "./values.ts";
import { expectationOf, shownValue } from "./words.ts";

/**
 * What a command-line parser found, by `key` of the flag: the argument's text, true or false for a boolean, every
 * argument of a repeated flag as a list. Flags that were not given are absent or undefined.
 */
export type FlagValues = Readonly<
  Record<string, string | boolean | readonly (string | boolean)[] | undefined>
>;

/** Longest JSON argument that is read, in characters. */
const MAX_JSON_CHARS = 65_536;

class FlagProblem extends Error {}

/** What is no number, or one that is too large to be held (`1e400`), stays the text that messages show. */
function readNumber(text: string): number | string {
  const number = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/iu.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : text;
}

/** In the unit of the setting, which its name tells: `requestTimeoutMs`, `load.durationS`. */
function readDuration(path: string, text: string): number {
  const value = readSeconds(text);
  if (value === null) {
    throw new FlagProblem(
      `expected a duration with its unit, such as 500ms, 30s or 2m, got ${shownValue(path, text)}`,
    );
  }
  return path.endsWith("Ms") ? Math.round(value * 1000) : value;
}

function readJson(text: string): unknown {
  if (text.length > MAX_JSON_CHARS) {
    throw new FlagProblem(`expected at most ${MAX_JSON_CHARS} characters of JSON, got ${text.length}`);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new FlagProblem(`expected JSON such as {"name": "value"}, got ${shownValue("", text)}`);
  }
}

function readText(flag: BenchFlag, text: string): unknown {
  switch (flag.value) {
    case "integer":
    case "number":
    case "count":
      return readNumber(text);
    case "duration":
      return readDuration(flag.path, text);
    case "json":
      return readJson(text);
    default:
      return text;
  }
}

function readValue(flag: BenchFlag, given: string | boolean): unknown {
  if ((typeof given === "boolean") !== (flag.value === "boolean")) {
    const field = fieldAt(flag.path);
    throw new FlagProblem(
      flag.value === "boolean"
        ? `takes no value, got ${shownValue(flag.path, given)}; use ${flag.flag} or ${negated(flag.flag)}`
        : `needs a value: ${field === undefined ? "a text" : expectationOf(field)}`,
    );
  }
  return typeof given === "boolean" ? given : readText(flag, given);
}

/** `NAME=VALUE`. The message does not repeat it: a value may be a secret. */
function splitPair(flag: BenchFlag, given: string | boolean): [string, string] {
  const text = String(readValue(flag, given));
  const at = text.indexOf("=");
  if (at < 1) {
    throw new FlagProblem(`expected ${flag.argument ?? "NAME=VALUE"}, got a text without a name and "="`);
  }
  return [text.slice(0, at), text.slice(at + 1)];
}

/** Values are read as JSON where they are JSON, and are texts otherwise. A list in JSON may hold texts with commas. */
function readAxis(flag: BenchFlag, given: string | boolean): { field: string; values: unknown[] } {
  const [field, text] = splitPair(flag, given);
  if (text.startsWith("[")) {
    const values = readJson(text);
    return { field, values: Array.isArray(values) ? values : [values] };
  }
  return { field, values: text.split(",").map(readScalar) };
}

function readScalar(text: string): unknown {
  if (text === "true" || text === "false" || text === "null") {
    return JSON.parse(text) as unknown;
  }
  return readNumber(text);
}

function negated(flag: string): string {
  return flag.replace(/^--/u, "--no-");
}

function spellingOf(flag: BenchFlag, value: unknown): string {
  return value === false ? negated(flag.flag) : flag.flag;
}

function readFlag(flag: BenchFlag, raw: NonNullable<FlagValues[string]>): unknown {
  const given = typeof raw === "string" || typeof raw === "boolean" ? [raw] : raw;
  if (flag.value === "string-list") {
    return given.map((one) => readValue(flag, one));
  }
  if (flag.value === "pairs") {
    return Object.fromEntries(given.map((one) => splitPair(flag, one)));
  }
  if (flag.value === "axes") {
    return given.map((one) => readAxis(flag, one));
  }
  if (new Set(given).size > 1) {
    throw new FlagProblem(
      flag.value === "boolean"
        ? `contradicts ${negated(flag.flag)}, which is given as well; keep one`
        : `is given with different values (${given.map((one) => shownValue(flag.path, one)).join(", ")}); keep one`,
    );
  }
  return readValue(flag, given.at(-1) ?? "");
}

/** How a source writes a flag: `--no-ignore-eos`, `ONPAR_IGNORE_EOS`. */
export type Spelling = (flag: BenchFlag, value: unknown) => string;

/** Values of a source that has the flags of the command line, by key, as a layer of settings. */
export function layerOf(
  source: ConfigSource,
  values: FlagValues,
  flags: readonly BenchFlag[],
  spelling: Spelling,
): ConfigLayer & { readonly issues: ConfigIssue[] } {
  const found = new Map<string, unknown>();
  const origin = new Map<string, string>();
  const issues: ConfigIssue[] = [];
  for (const flag of flags) {
    const raw = values[flag.key];
    if (raw === undefined) {
      continue;
    }
    try {
      const value = readFlag(flag, raw);
      found.set(flag.path, value);
      origin.set(flag.path, spelling(flag, value));
    } catch (error) {
      if (!(error instanceof FlagProblem)) {
        throw error;
      }
      issues.push({ path: flag.path, origin: spelling(flag, true), message: error.message });
    }
  }
  return { source, value: nest(found), origin, issues };
}

/**
 * Turns parsed flags into a layer. Problems are carried in the layer, and `resolveConfig` reports them together
 * with those of the other layers. Unknown keys are left alone: they belong to the caller's own flags.
 */
export function configLayerFromFlags(
  values: FlagValues,
  flags: readonly BenchFlag[] = allFlags,
): ConfigLayer {
  const refused = refusedFlags
    .filter(({ key }) => values[key] !== undefined)
    .map(({ flag, reason }) => ({ path: flag, origin: flag, message: `cannot be honoured: ${reason}` }));
  const translation = translate(values);
  const own = Object.fromEntries(Object.entries(values).filter(([key]) => !translation.taken.has(key)));
  const layer = layerOf("flags", own, flags, spellingOf);
  const foreign = [...translation.settings, ...namedSettings(values, layer.issues)];
  const merged = mergeForeign(layer, foreign, flags);
  return { ...merged, issues: [...refused, ...translation.issues, ...merged.issues] };
}

/** What other names of settings, and flags that stand for one value, set. Problems go to `issues`. */
function namedSettings(values: FlagValues, issues: ConfigIssue[]): Setting[] {
  return Object.entries(values).flatMap(([key, raw]): Setting[] => {
    const constant = fixed.get(key);
    if (constant !== undefined && raw !== undefined) {
      return [{ path: constant.path, value: constant.value, origin: constant.flag }];
    }
    const alias = aliases.get(key);
    const flag = alias === undefined ? undefined : allFlags.find(({ path }) => path === alias.path);
    if (alias === undefined || flag === undefined || raw === undefined) {
      return [];
    }
    try {
      return [{ path: alias.path, value: readFlag(flag, raw), origin: alias.flag }];
    } catch (error) {
      if (!(error instanceof FlagProblem)) {
        throw error;
      }
      issues.push({ path: alias.path, origin: alias.flag, message: error.message });
      return [];
    }
  });
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Adds what foreign flags set to what own ones do. Two that part are refused, as one flag with two values is. */
function mergeForeign(
  layer: ConfigLayer & { readonly issues: ConfigIssue[] },
  foreign: readonly Setting[],
  flags: readonly BenchFlag[],
): ConfigLayer & { readonly issues: ConfigIssue[] } {
  const origin = new Map(layer.origin);
  const issues = [...layer.issues];
  const found = new Map<string, unknown>(
    [...origin.keys()].map((path) => [path, valueAt(layer.value, path)]),
  );
  for (const { path, value, origin: flag } of foreign) {
    if (flags !== allFlags && !flags.some((known) => known.path === path)) {
      issues.push({ path, origin: flag, message: "means nothing for this command" });
      continue;
    }
    if (found.has(path) && !isSame(found.get(path), value)) {
      const message =
        `sets ${path} to ${shownValue(path, value)}, and ${origin.get(path) ?? path} sets it to ` +
        `${shownValue(path, found.get(path))}; keep one`;
      issues.push({ path, origin: flag, message });
      continue;
    }
    found.set(path, value);
    if (!origin.has(path)) {
      origin.set(path, flag);
    }
  }
  return { source: layer.source, value: nest(found), origin, issues };
}

function isDefault(flag: BenchFlag, value: unknown): boolean {
  return JSON.stringify(value) === JSON.stringify(flag.default);
}

function argumentsOf(flag: BenchFlag, value: unknown): string[] {
  if (typeof value === "boolean") {
    return [spellingOf(flag, value)];
  }
  if (flag.value === "pairs") {
    return Object.entries(isPlainObject(value) ? value : {}).flatMap(([name, text]) => [
      flag.flag,
      `${name}=${String(text)}`,
    ]);
  }
  if (Array.isArray(value)) {
    return value.flatMap((one: unknown) => [flag.flag, flag.value === "axes" ? axisText(one) : String(one)]);
  }
  const text = flag.value === "json" ? JSON.stringify(value) : String(value);
  return [flag.flag, flag.value === "duration" ? `${text}${flag.path.endsWith("S") ? "s" : "ms"}` : text];
}

function axisText(axis: unknown): string {
  return `${String(valueAt(axis, "field"))}=${JSON.stringify(valueAt(axis, "values"))}`;
}

/** The flags that give this configuration over the defaults, as separate arguments for a command line. */
export function flagArguments(config: BenchConfig): string[] {
  return allFlags.flatMap((flag) => {
    const value = valueAt(config, flag.path);
    return value === undefined || isDefault(flag, value) ? [] : argumentsOf(flag, value);
  });
}
