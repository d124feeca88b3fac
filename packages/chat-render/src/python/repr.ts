import { recursionError } from "./errors.ts";
import { floatText, intText } from "./numbers.ts";
import { isPrintable } from "./unicode.ts";
import {
  isList,
  PyFloat,
  type PyContext,
  type PyValue,
  isUndefined,
  isMarkup,
  isObject,
  isDict,
  isTuple,
} from "./value.ts";

/** Where Python's stack ends, about. */
export const MAX_DEPTH = 960;

const plain = /^[ !#-&(-[\]-~]*$/;
const special = /[\\'\n\r\t]|[^ -~]/gu;
const named: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** `repr(str)`. */
export function reprText(text: string): string {
  if (plain.test(text)) {
    return `'${text}'`;
  }
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const body = text.replace(special, (character) => {
    if (character === "'") {
      return quote === "'" ? "\\'" : "'";
    }
    const name = named[character];
    if (name !== undefined) {
      return name;
    }
    if (isPrintable(character)) {
      return character;
    }
    const code = character.codePointAt(0) ?? 0;
    const hex = code.toString(16);
    return code < 0x100
      ? `\\x${hex.padStart(2, "0")}`
      : code < 0x10000
        ? `\\u${hex.padStart(4, "0")}`
        : `\\U${hex.padStart(8, "0")}`;
  });
  return quote + body + quote;
}

function reprItems(ctx: PyContext, items: readonly PyValue[], depth: number): string {
  let text = "";
  for (let index = 0; index < items.length; index += 1) {
    text += (index === 0 ? "" : ", ") + reprAt(ctx, items[index] ?? null, depth);
  }
  return text;
}

function reprAt(ctx: PyContext, value: PyValue, depth: number): string {
  ctx.budget.step();
  switch (typeof value) {
    case "string":
      ctx.budget.grow(value.length * 4);
      return reprText(value);
    case "boolean":
      return value ? "True" : "False";
    case "bigint":
      return intText(value);
    case "number":
      return Number.isInteger(value) ? String(value) : floatText(value);
  }
  if (value === null) {
    return "None";
  }
  if (value instanceof PyFloat) {
    return floatText(value.value);
  }
  if (isUndefined(value)) {
    return "Undefined";
  }
  if (isMarkup(value)) {
    ctx.budget.grow(value.text.length * 4);
    return `Markup(${reprText(value.text)})`;
  }
  if (depth > MAX_DEPTH) {
    throw recursionError(" while getting the repr of an object");
  }
  if (isObject(value)) {
    return value.repr(ctx);
  }
  let text: string;
  if (isDict(value)) {
    text = "";
    for (const [key, item] of value.entries()) {
      text += `${text === "" ? "" : ", "}${reprAt(ctx, key, depth + 1)}: ${reprAt(ctx, item, depth + 1)}`;
    }
    text = `{${text}}`;
  } else if (isTuple(value)) {
    text = `(${reprItems(ctx, value.items, depth + 1)}${value.items.length === 1 ? "," : ""})`;
  } else if (isList(value)) {
    text = `[${reprItems(ctx, value, depth + 1)}]`;
  } else {
    return value satisfies never;
  }
  ctx.budget.grow(text.length);
  return text;
}

/** `repr(value)`. */
export function repr(ctx: PyContext, value: PyValue): string {
  return reprAt(ctx, value, 0);
}

/** `str(value)`. */
export function str(ctx: PyContext, value: PyValue): string {
  if (typeof value === "string") {
    return value;
  }
  if (typeof value === "number" && Number.isInteger(value)) {
    return String(value);
  }
  if (isUndefined(value)) {
    return "";
  }
  if (isMarkup(value)) {
    return value.text;
  }
  if (isObject(value) && value.str !== undefined) {
    return value.str(ctx);
  }
  return reprAt(ctx, value, 0);
}
