import type { Budget } from "../budget.ts";
import { binary } from "../arithmetic.ts";
import { recursionError, typeError } from "../errors.ts";
import { unpack } from "../iterate.ts";
import { floatText, intText } from "../numbers.ts";
import { MAX_DEPTH } from "../repr.ts";
import { sortValues } from "../sorting.ts";
import { truth } from "../truth.ts";
import {
  isFloat,
  isInt,
  isList,
  type PyDict,
  PyFloat,
  PyTuple,
  textOf,
  typeName,
  type PyContext,
  type PyFilter,
  type PyValue,
  isTuple,
  isDict,
} from "../value.ts";
import { filter } from "./filter.ts";

/** What `json.dumps` is told. */
export interface JsonOptions {
  readonly ensureAscii?: boolean;
  /** What each level is indented by; absent for one line. */
  readonly indent?: string;
  /** Between items, and between a key and its value. */
  readonly separators?: readonly [item: string, key: string];
  /** The order of a dict's entries, where it is not their own. */
  readonly sort?: (entries: [PyValue, PyValue][]) => [PyValue, PyValue][];
}

const surrogate = /[\ud800-\udfff]/;
// oxlint-disable-next-line no-control-regex
const special = /["\\\0-\x1f]/g;
const beyondAscii = /[^ -~]/g;

function unit(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function quote(text: string, ensureAscii: boolean): string {
  if (ensureAscii) {
    return JSON.stringify(text).replace(beyondAscii, unit);
  }
  // JSON.stringify escapes surrogates that stand alone; Python writes them.
  return surrogate.test(text)
    ? `"${text.replace(special, (character) => JSON.stringify(character).slice(1, -1))}"`
    : JSON.stringify(text);
}

function floatJson(value: number): string {
  return Number.isFinite(value)
    ? floatText(value)
    : Number.isNaN(value)
      ? "NaN"
      : value > 0
        ? "Infinity"
        : "-Infinity";
}

class Writer {
  private readonly ascii: boolean;
  private readonly indent: string | undefined;
  private readonly itemSeparator: string;
  private readonly keySeparator: string;
  private readonly options: JsonOptions;
  private readonly budget: Budget | undefined;

  constructor(options: JsonOptions, budget: Budget | undefined) {
    this.options = options;
    this.ascii = options.ensureAscii === true;
    this.indent = options.indent;
    [this.itemSeparator, this.keySeparator] = options.separators ?? [
      options.indent === undefined ? ", " : ",",
      ": ",
    ];
    this.budget = budget;
  }

  write(value: PyValue, depth: number): string {
    this.budget?.step(2);
    const text = textOf(value);
    if (text !== undefined) {
      this.budget?.grow(text.length * (this.ascii ? 6 : 2));
      return quote(text, this.ascii);
    }
    if (value === null || typeof value === "boolean") {
      return String(value);
    }
    if (isInt(value)) {
      return intText(value);
    }
    if (isFloat(value)) {
      return floatJson(value instanceof PyFloat ? value.value : value);
    }
    const items = isTuple(value) ? value.items : value;
    const hasKeys = isDict(items);
    if (!hasKeys && !isList(items)) {
      throw typeError(`Object of type ${typeName(value)} is not JSON serializable`);
    }
    if (depth > MAX_DEPTH) {
      throw recursionError(" while encoding a JSON object");
    }
    const parts = hasKeys ? this.entries(items, depth) : items.map((item) => this.write(item, depth + 1));
    const [open, close] = hasKeys ? "{}" : "[]";
    if (parts.length === 0) {
      return `${open}${close}`;
    }
    const line = this.indent === undefined ? "" : `\n${this.indent.repeat(depth + 1)}`;
    this.budget?.grow(parts.length * (line.length + this.itemSeparator.length));
    const joined = parts.join(this.itemSeparator + line);
    const end = this.indent === undefined ? "" : `\n${this.indent.repeat(depth)}`;
    this.budget?.grow(joined.length);
    return `${open}${line}${joined}${end}${close}`;
  }

  private entries(dict: PyDict, depth: number): string[] {
    const entries = dict.entries();
    const sorted = this.options.sort === undefined ? entries : this.options.sort(entries);
    return sorted.map(
      ([key, value]) =>
        `${quote(this.key(key), this.ascii)}${this.keySeparator}${this.write(value, depth + 1)}`,
    );
  }

  private key(key: PyValue): string {
    const text = textOf(key);
    if (text !== undefined) {
      return text;
    }
    if (key === null || typeof key === "boolean") {
      return String(key);
    }
    if (isInt(key)) {
      return intText(key);
    }
    if (isFloat(key)) {
      return floatJson(key instanceof PyFloat ? key.value : key);
    }
    throw typeError(`keys must be str, int, float, bool or None, not ${typeName(key)}`);
  }
}

/** Python's `json.dumps`. */
export function jsonText(value: PyValue, options: JsonOptions = {}, budget?: Budget): string {
  return new Writer(options, budget).write(value, 0);
}

function separatorsOf(ctx: PyContext, separators: PyValue): readonly [string, string] | undefined {
  if (separators === null) {
    return undefined;
  }
  const [item, key] = unpack(ctx, separators, 2);
  // In the order in which Python looks at them.
  const keyText = separatorText(key ?? null, 5);
  return [separatorText(item ?? null, 6), keyText];
}

function separatorText(value: PyValue, position: number): string {
  const text = textOf(value);
  if (text === undefined) {
    throw typeError(
      `make_encoder() argument ${position} must be str, not ${value === null ? "None" : typeName(value)}`,
    );
  }
  return text;
}

/** `json.dumps` with its arguments, looked at in Python's order: a str is written before most of them matter. */
function dumps(
  ctx: PyContext,
  [value = null, ascii = false, indent = null, separators = null, sortKeys = false]: readonly (
    | PyValue
    | undefined
  )[],
): string {
  const ensureAscii = truth(ascii);
  const isText = textOf(value) !== undefined;
  if (isText && separators !== null) {
    unpack(ctx, separators, 2);
  }
  if (isText) {
    return jsonText(value, { ensureAscii }, ctx.budget);
  }
  const pair = separatorsOf(ctx, separators);
  // A number of spaces, or the text itself.
  const space = indent === null ? undefined : (textOf(indent) ?? textOf(binary(ctx, "*", " ", indent)) ?? "");
  return jsonText(
    value,
    {
      ensureAscii,
      ...(space === undefined ? {} : { indent: space }),
      ...(pair === undefined ? {} : { separators: pair }),
      ...(truth(sortKeys)
        ? { sort: (entries) => sortValues(ctx, entries, (entry) => new PyTuple(entry), false) }
        : {}),
    },
    ctx.budget,
  );
}

/** The `tojson` of transformers: `json.dumps` without HTML's escapes and without sorting. */
export const toJson: PyFilter = filter(
  "make_env.<locals>.tojson(x, ensure_ascii=, indent=, separators=, sort_keys=)",
  dumps,
);
