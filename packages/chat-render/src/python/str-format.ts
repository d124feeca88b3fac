import { PyError, typeError, valueError } from "./errors.ts";
import { noKeywords } from "./refusals.ts";
import { asciiText, format } from "./format-spec.ts";
import { escapeText } from "./markup.ts";
import { rawItem } from "./raw-item.ts";
import { repr, str } from "./repr.ts";
import { type PyMarkup, type PyContext, type PyKwargs, type PyValue, isMarkup } from "./value.ts";

/** How a field reaches into a value: with the rules of the sandbox. */
export interface Lookups {
  readonly getAttribute: (ctx: PyContext, value: PyValue, name: string) => PyValue;
  readonly getItem: (ctx: PyContext, value: PyValue, key: PyValue) => PyValue;
}

interface Field {
  readonly name: string;
  readonly conversion: string | null;
  readonly spec: string;
  /** The index behind the field. */
  readonly end: number;
}

/** The field whose `{` stands before `start`. */
function readField(text: string, start: number): Field {
  let at = start;
  let stop = "";
  for (; at < text.length && stop === ""; at += 1) {
    const character = text.charAt(at);
    if (character === "{") {
      throw valueError("unexpected '{' in field name");
    }
    if (character === "[") {
      // The loop goes on with the closing bracket, or ends with the text.
      const close = text.indexOf("]", at);
      at = (close < 0 ? text.length : close) - 1;
    } else if (character === "}" || character === ":" || character === "!") {
      stop = character;
    }
  }
  if (stop === "") {
    throw valueError("expected '}' before end of string");
  }
  const name = text.slice(start, at - 1);
  if (stop === "}") {
    return { name, conversion: null, spec: "", end: at };
  }
  let conversion: string | null = null;
  if (stop === "!") {
    if (at >= text.length) {
      throw valueError("end of string while looking for conversion specifier");
    }
    conversion = String.fromCodePoint(text.codePointAt(at) ?? 0);
    at += conversion.length;
    if (at < text.length) {
      const next = text.charAt(at);
      at += 1;
      if (next === "}") {
        return { name, conversion, spec: "", end: at };
      }
      if (next !== ":") {
        throw valueError("expected ':' after conversion specifier");
      }
    }
  }
  const specStart = at;
  for (let open = 1; at < text.length; at += 1) {
    const character = text.charAt(at);
    open += character === "{" ? 1 : character === "}" ? -1 : 0;
    if (open === 0) {
      return { name, conversion, spec: text.slice(specStart, at), end: at + 1 };
    }
  }
  throw valueError("unmatched '{' in format spec");
}

type Part = { readonly isAttribute: boolean; readonly key: string | number };

function keyOf(name: string): string | number {
  return /^\d+$/.test(name) ? Number(name) : name;
}

/** `first.attribute[item]…`: what stands before the parts. */
function firstName(name: string): string {
  return /^[^.[]*/.exec(name)?.[0] ?? "";
}

/** The parts one by one: a wrong one is only found behind those before it. */
function* partsOf(name: string): Generator<Part, void, undefined> {
  let at = firstName(name).length;
  while (at < name.length) {
    const isAttribute = name.charAt(at) === ".";
    if (!isAttribute && name.charAt(at) !== "[") {
      throw valueError("Only '.' or '[' may follow ']' in format field specifier");
    }
    at += 1;
    const part = (isAttribute ? /^[^.[]*/ : /^[^\]]*/).exec(name.slice(at))?.[0] ?? "";
    at += part.length;
    if (!isAttribute) {
      if (at >= name.length) {
        throw valueError("Missing ']' in format string");
      }
      at += 1;
    }
    if (part === "") {
      throw valueError("Empty attribute in format string");
    }
    yield { isAttribute, key: isAttribute ? part : keyOf(part) };
  }
}

class Formatter {
  readonly #ctx: PyContext;
  readonly #lookups: Lookups;
  readonly #args: readonly PyValue[];
  readonly #named: (key: string) => PyValue;
  readonly #escaping: boolean;
  /** The number of the next field without a name; false after a field with a number. */
  #auto: number | false = 0;

  constructor(
    ctx: PyContext,
    lookups: Lookups,
    args: readonly PyValue[],
    named: (key: string) => PyValue,
    escaping: boolean,
  ) {
    this.#ctx = ctx;
    this.#lookups = lookups;
    this.#args = args;
    this.#named = named;
    this.#escaping = escaping;
  }

  run(text: string, depth: number): string {
    if (depth < 0) {
      throw valueError("Max string recursion exceeded");
    }
    let result = "";
    let at = 0;
    while (at < text.length) {
      const brace = /[{}]/g;
      brace.lastIndex = at;
      const found = brace.exec(text);
      if (found === null) {
        return result + text.slice(at);
      }
      const next = text.charAt(found.index + 1);
      result += text.slice(at, found.index);
      if (next === found[0]) {
        result += next;
        at = found.index + 2;
      } else if (found[0] === "}" || next === "") {
        throw valueError(`Single '${found[0]}' encountered in format string`);
      } else {
        const field = readField(text, found.index + 1);
        result += this.#field(field, depth);
        at = field.end;
      }
      this.#ctx.budget.step();
      this.#ctx.budget.grow(result.length >> 4);
    }
    return result;
  }

  #field({ name, conversion, spec }: Field, depth: number): string {
    let key = name;
    if (name === "" || /^\d+$/.test(name)) {
      if (name === "" ? this.#auto === false : this.#auto !== false && this.#auto > 0) {
        throw valueError("cannot switch from manual field specification to automatic field numbering");
      }
      if (name !== "" || this.#auto === false) {
        this.#auto = false;
      } else {
        key = String(this.#auto);
        this.#auto += 1;
      }
    }
    const value = this.#convert(this.#find(key), conversion);
    const filled = this.run(spec, depth - 1);
    if (this.#escaping && isMarkup(value)) {
      if (filled !== "") {
        throw valueError("Unsupported format specification for Markup.");
      }
      return value.text;
    }
    const text = format(this.#ctx, value, filled);
    return this.#escaping ? escapeText(text) : text;
  }

  #find(name: string): PyValue {
    const first = keyOf(firstName(name));
    let value: PyValue;
    if (typeof first === "number") {
      const argument = this.#args[first];
      if (argument === undefined) {
        throw new PyError("IndexError", "tuple index out of range");
      }
      value = argument;
    } else {
      value = this.#named(first);
    }
    for (const { isAttribute, key } of partsOf(name)) {
      value =
        isAttribute && typeof key === "string"
          ? this.#lookups.getAttribute(this.#ctx, value, key)
          : this.#lookups.getItem(this.#ctx, value, key);
    }
    return value;
  }

  #convert(value: PyValue, conversion: string | null): PyValue {
    switch (conversion) {
      case null:
        return value;
      case "s":
        return str(this.#ctx, value);
      case "r":
        return repr(this.#ctx, value);
      case "a":
        return asciiText(repr(this.#ctx, value));
      default:
        throw valueError(`Unknown conversion specifier ${conversion}`);
    }
  }
}

/** `value.format(*args, **kwargs)` and `value.format_map(mapping)`; the caller makes a Markup of a Markup's text. */
export function formatMethod(
  ctx: PyContext,
  lookups: Lookups,
  value: string | PyMarkup,
  name: "format" | "format_map",
  args: readonly PyValue[],
  kwargs: PyKwargs,
): string {
  const text = typeof value === "string" ? value : value.text;
  ctx.budget.grow(text.length);
  let positional = args;
  let named = (key: string): PyValue => {
    const given = kwargs?.get(key);
    if (given === undefined) {
      throw new PyError("KeyError", repr(ctx, key));
    }
    return given;
  };
  if (name === "format_map") {
    if (kwargs !== null && kwargs.size > 0) {
      throw noKeywords("format_map");
    }
    const [mapping, ...more] = args;
    if (mapping === undefined || more.length > 0) {
      throw typeError(`format_map() takes exactly one argument (${args.length} given)`);
    }
    positional = [];
    named = (key) => rawItem(ctx, mapping, key);
  }
  return new Formatter(ctx, lookups, positional, named, isMarkup(value)).run(text, 2);
}
