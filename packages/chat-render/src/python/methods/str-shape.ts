import { codePointCount } from "../code-points.ts";
import { typeError, valueError } from "../errors.ts";
import { notSubscriptable } from "../refusals.ts";
import { intOf } from "../numbers.ts";
import {
  capitalize,
  caseFold,
  classPatterns,
  isLower,
  isPrintable,
  isTitle,
  isUpper,
  swapCase,
  titleCase,
} from "../unicode.ts";
import {
  isList,
  PyDict,
  textOf,
  typeName,
  type PyContext,
  type PyValue,
  isUndefined,
  isDict,
  isTuple,
} from "../value.ts";
import { undefinedError } from "../undefined.ts";
import { subscript } from "../subscript.ts";
import { codecArguments, PyBytes } from "../bytes.ts";
import { codecLimit } from "../decode-bytes.ts";
import { cInt, sizeArgument, textArgument, type Arity, type MethodBody } from "./method.ts";

/** Steps for one character that is looked at by itself. */
const SLOW = 1;

type Spec = readonly [Arity, MethodBody<string>];

function fillArgument(value: PyValue | undefined): string {
  if (value === undefined) {
    return " ";
  }
  const text = textOf(value);
  if (text === undefined) {
    throw typeError(`The fill character must be a unicode character, not ${typeName(value)}`);
  }
  if (codePointCount(text) !== 1) {
    throw typeError("The fill character must be exactly one character long");
  }
  return text;
}

/** The text in the middle of `width` characters, as `str.center` puts it. */
export function center(ctx: PyContext, text: string, width: number, fill = " "): string {
  const missing = width - codePointCount(text);
  if (missing <= 0) {
    return text;
  }
  ctx.budget.grow(text.length + missing);
  const left = Math.floor(missing / 2) + (missing % 2 === 1 && width % 2 === 1 ? 1 : 0);
  return fill.repeat(left) + text + fill.repeat(missing - left);
}

function justify(side: "left" | "right" | "center"): Spec {
  return [
    [1, 2],
    (ctx, text, args) => {
      const width = sizeArgument(args[0]);
      const fill = fillArgument(args[1]);
      if (side === "center") {
        return center(ctx, text, width, fill);
      }
      const missing = Math.max(width - codePointCount(text), 0);
      ctx.budget.grow(text.length + missing);
      return side === "left" ? text + fill.repeat(missing) : fill.repeat(missing) + text;
    },
  ];
}

/** `cost` is that of one character, in steps. */
function mapped(map: (text: string) => string, cost = 1 / 16): Spec {
  return [
    [0, 0],
    (ctx, text) => {
      ctx.budget.step(text.length * cost);
      return map(text);
    },
  ];
}

function asked(test: (text: string) => boolean, cost = 1 / 16): Spec {
  return [
    [0, 0],
    (ctx, text) => {
      ctx.budget.step(text.length * cost);
      return test(text);
    },
  ];
}

function expandTabs(ctx: PyContext, text: string, size: number): string {
  ctx.budget.step(text.length >> 2);
  const tabs = text.split("\t").length - 1;
  ctx.budget.grow(text.length + tabs * Math.max(size, 0));
  let column = 0;
  let result = "";
  for (const character of text) {
    if (character === "\t") {
      const spaces = size > 0 ? size - (column % size) : 0;
      column += spaces;
      result += " ".repeat(spaces);
    } else {
      column = character === "\n" || character === "\r" ? 0 : column + 1;
      result += character;
    }
  }
  return result;
}

function translate(ctx: PyContext, text: string, table: PyValue): string {
  let result = "";
  for (const character of text) {
    ctx.budget.step();
    if (isUndefined(table)) {
      throw undefinedError(ctx, table);
    }
    if (!isDict(table) && !isList(table) && !isTuple(table) && textOf(table) === undefined) {
      throw notSubscriptable(table);
    }
    const to = subscript(ctx, table, character.codePointAt(0) ?? 0);
    if (to === undefined) {
      result += character;
      continue;
    }
    const code = intOf(to);
    const replacement = textOf(to);
    if (code !== undefined) {
      if (!(code >= 0 && code <= 0x10ffff)) {
        throw valueError("character mapping must be in range(0x110000)");
      }
      result += String.fromCodePoint(Number(code));
    } else if (replacement !== undefined) {
      result += replacement;
    } else if (to !== null) {
      throw typeError("character mapping must return integer, None or str");
    }
    ctx.budget.grow(result.length);
  }
  return result;
}

function makeTranslation(args: readonly (PyValue | undefined)[]): PyDict {
  const table = new PyDict();
  const [from, to, drop] = args;
  if (to === undefined) {
    if (!isDict(from)) {
      throw typeError("if you give only one argument to maketrans it must be a dict");
    }
    for (const [key, value] of from.entries()) {
      const text = textOf(key);
      if (text === undefined && intOf(key) === undefined) {
        throw typeError("keys in translate table must be strings or integers");
      }
      if (text !== undefined && codePointCount(text) !== 1) {
        throw valueError("string keys in translate table must be of length 1");
      }
      table.set(text === undefined ? key : (text.codePointAt(0) ?? 0), value);
    }
    return table;
  }
  const tos = Array.from(textArgument(to, "maketrans() argument 2 "));
  const dropped = drop === undefined ? "" : textArgument(drop, "maketrans() argument 3 ");
  const first = textOf(from ?? null);
  if (first === undefined) {
    throw typeError("first maketrans argument must be a string if there is a second argument");
  }
  const froms = Array.from(first);
  if (froms.length !== tos.length) {
    throw valueError("the first two maketrans arguments must have equal length");
  }
  for (const [index, character] of froms.entries()) {
    table.set(character.codePointAt(0) ?? 0, tos[index]?.codePointAt(0) ?? 0);
  }
  for (const character of dropped) {
    table.set(character.codePointAt(0) ?? 0, null);
  }
  return table;
}

function encode(ctx: PyContext, text: string, args: readonly (PyValue | undefined)[]): PyValue {
  const named = codecArguments("encode", args);
  ctx.budget.collect(text.length);
  return PyBytes.encode(text, codecLimit(named[0] ?? "utf-8"), named[1]);
}

export const shapeSpecs: Record<string, Spec> = {
  capitalize: mapped(capitalize),
  casefold: mapped(caseFold, SLOW),
  center: justify("center"),
  encode: [["encoding", "errors"], encode],
  expandtabs: [["tabsize"], (ctx, text, args) => expandTabs(ctx, text, cInt(args[0], 8))],
  isascii: asked((text) => !/[^\0-\x7f]/.test(text)),
  islower: asked(isLower),
  isprintable: asked((text) => Array.from(text).every((character) => isPrintable(character)), SLOW),
  istitle: asked(isTitle, SLOW),
  isupper: asked(isUpper),
  ljust: justify("left"),
  lower: mapped((text) => text.toLowerCase()),
  maketrans: [[1, 3], (_ctx, _text, args) => makeTranslation(args)],
  removeprefix: [
    [1, 1],
    (ctx, text, args) => {
      const prefix = textArgument(args[0], "removeprefix() argument ");
      ctx.budget.grow(text.length);
      return text.startsWith(prefix) ? text.slice(prefix.length) : text;
    },
  ],
  removesuffix: [
    [1, 1],
    (ctx, text, args) => {
      const suffix = textArgument(args[0], "removesuffix() argument ");
      ctx.budget.grow(text.length);
      return suffix !== "" && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text;
    },
  ],
  rjust: justify("right"),
  swapcase: mapped(swapCase, SLOW),
  title: mapped(titleCase, SLOW),
  translate: [[1, 1], (ctx, text, args) => translate(ctx, text, args[0] ?? null)],
  upper: mapped((text) => text.toUpperCase()),
  zfill: [
    [1, 1],
    (ctx, text, args) => {
      const missing = sizeArgument(args[0]) - codePointCount(text);
      if (missing <= 0) {
        return text;
      }
      ctx.budget.grow(text.length + missing);
      const sign = /^[+-]/.test(text) ? text.charAt(0) : "";
      return sign + "0".repeat(missing) + text.slice(sign.length);
    },
  ],
};

for (const [name, pattern] of Object.entries(classPatterns)) {
  shapeSpecs[name] = asked((text) => pattern.test(text));
}
