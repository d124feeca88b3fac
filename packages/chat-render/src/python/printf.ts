import { codePointCount } from "./code-points.ts";
import { typeError, valueError } from "./errors.ts";
import { tooLarge } from "./refusals.ts";
import { like } from "./markup.ts";
import { intOf } from "./numbers.ts";
import { convert } from "./printf-conversion.ts";
import { rawItem } from "./raw-item.ts";
import {
  isList,
  type PyMarkup,
  type PyContext,
  type PyValue,
  isTuple,
  isDict,
  isUndefined,
  isObject,
  isMarkup,
} from "./value.ts";

/** The arguments of one format operation, taken one after the other or by name. */
class Arguments {
  #values: readonly PyValue[];
  readonly mapping: PyValue | undefined;
  #next = 0;

  constructor(value: PyValue) {
    this.#values = isTuple(value) ? value.items : [value];
    const isMapping =
      isDict(value) ||
      isList(value) ||
      isUndefined(value) ||
      (isObject(value) && value.getItem !== undefined);
    this.mapping = isMapping ? value : undefined;
  }

  /** The value under a key, which is all that there is to take from then on. */
  find(ctx: PyContext, key: string): void {
    if (this.mapping === undefined) {
      throw typeError("format requires a mapping");
    }
    this.#values = [rawItem(ctx, this.mapping, key)];
    this.#next = 0;
  }

  take(): PyValue {
    const value = this.#values[this.#next];
    if (value === undefined) {
      throw typeError("not enough arguments for format string");
    }
    this.#next += 1;
    return value;
  }

  finish(): void {
    if (this.#next < this.#values.length && this.mapping === undefined) {
      throw typeError("not all arguments converted during string formatting");
    }
  }
}

const specifier = /[-+ #0]*/y;
const number = /\d*/y;

function scan(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}

/** The key in brackets that starts at `at`, which may hold brackets itself. */
function readKey(text: string, at: number): string {
  let open = 1;
  for (let end = at; end < text.length; end += 1) {
    const character = text.charAt(end);
    open += character === "(" ? 1 : character === ")" ? -1 : 0;
    if (open === 0) {
      return text.slice(at, end);
    }
  }
  throw valueError("incomplete format key");
}

function starOrNumber(
  text: string,
  at: number,
  what: string,
  args: Arguments,
  wrapped: boolean,
): { value: number; end: number } {
  if (text.charAt(at) !== "*") {
    const digits = scan(number, text, at);
    if (Number(digits) > 0x7fffffff) {
      throw valueError(`${what} too big`);
    }
    return { value: Number(digits), end: at + digits.length };
  }
  const taken = args.take();
  // The arguments of a Markup are wrapped, and no ints then.
  const given = wrapped ? undefined : intOf(taken);
  if (given === undefined) {
    throw typeError("* wants int");
  }
  if (typeof given === "bigint") {
    throw tooLarge(what === "width" ? "ssize_t" : "int");
  }
  return { value: given, end: at + 1 };
}

/** Python's `format % values` of a str or a Markup. */
export function printf(ctx: PyContext, template: string | PyMarkup, value: PyValue): string | PyMarkup {
  const text = typeof template === "string" ? template : template.text;
  const escaping = isMarkup(template);
  const args = new Arguments(value);
  ctx.budget.grow(text.length);
  let result = "";
  let at = 0;
  for (;;) {
    const percent = text.indexOf("%", at);
    if (percent < 0) {
      break;
    }
    ctx.budget.step();
    result += text.slice(at, percent);
    at = percent + 1;
    if (text.charAt(at) === "%") {
      result += "%";
      at += 1;
      continue;
    }
    if (text.charAt(at) === "(") {
      const key = args.mapping === undefined ? "" : readKey(text, at + 1);
      args.find(ctx, key);
      at += key.length + 2;
    }
    let flags = scan(specifier, text, at);
    at += flags.length;
    const width = starOrNumber(text, at, "width", args, escaping);
    if (width.value < 0) {
      flags += "-";
    }
    at = width.end;
    let precision = -1;
    if (text.charAt(at) === ".") {
      const given = starOrNumber(text, at + 1, "precision", args, escaping);
      precision = Math.max(given.value, 0);
      at = given.end;
    }
    if (/[hlL]/.test(text.charAt(at))) {
      at += 1;
    }
    if (at >= text.length) {
      throw valueError("incomplete format");
    }
    const letter = String.fromCodePoint(text.codePointAt(at) ?? 0);
    // Python takes the argument before it looks at the letter.
    const taken = args.take();
    if (!"diuoxXeEfFgGcrsa".includes(letter)) {
      const code = letter.codePointAt(0) ?? 0;
      const shown = code > 31 && code < 127 ? letter : "?";
      throw valueError(
        `unsupported format character '${shown}' (0x${code.toString(16)}) at index ${codePointCount(text.slice(0, at))}`,
      );
    }
    const conversion = { flags, width: Math.abs(width.value), precision, letter };
    result += convert(ctx, taken, conversion, escaping);
    ctx.budget.grow(result.length >> 4);
    at += letter.length;
  }
  args.finish();
  return like(template, result + text.slice(at));
}
