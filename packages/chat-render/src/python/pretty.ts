import { codePointCount } from "./code-points.ts";
import { order, sameItem } from "./compare.ts";
import { PyError, recursionError } from "./errors.ts";
import { splitLines } from "./methods/str-split.ts";
import { MAX_DEPTH, repr, reprText } from "./repr.ts";
import { sortValues } from "./sorting.ts";
import { spaceClass } from "./unicode.ts";
import {
  isList,
  type PyDict,
  PyTuple,
  typeName,
  type PyContext,
  type PyValue,
  isTuple,
  isDict,
} from "./value.ts";

const WIDTH = 80;

/** How values of different types stand in order where Python has none: by the names of their types. */
function precedes(ctx: PyContext, a: PyValue, b: PyValue): boolean {
  try {
    return order(ctx, "<", a, b);
  } catch (error) {
    if (error instanceof PyError && error.pythonClass === "TypeError") {
      return `<class '${typeName(a)}'>` < `<class '${typeName(b)}'>`;
    }
    throw error;
  }
}

function sortedEntries(ctx: PyContext, dict: PyDict): [PyValue, PyValue][] {
  const parts = (pair: PyValue): readonly PyValue[] => (isTuple(pair) ? pair.items : []);
  return sortValues(
    ctx,
    dict.entries(),
    (entry) => new PyTuple(entry),
    false,
    (a, b) => {
      const [keyA = null, valueA = null] = parts(a);
      const [keyB = null, valueB = null] = parts(b);
      return sameItem(ctx, keyA, keyB) ? precedes(ctx, valueA, valueB) : precedes(ctx, keyA, keyB);
    },
  );
}

/** `repr` with the keys of dicts in order. */
function flat(ctx: PyContext, value: PyValue, depth: number): string {
  ctx.budget.step(8);
  if (depth > MAX_DEPTH) {
    throw recursionError();
  }
  let text: string;
  if (isDict(value)) {
    const parts = sortedEntries(ctx, value).map(
      ([key, item]) => `${flat(ctx, key, depth + 1)}: ${flat(ctx, item, depth + 1)}`,
    );
    text = `{${parts.join(", ")}}`;
  } else if (isList(value)) {
    text = `[${value.map((item) => flat(ctx, item, depth + 1)).join(", ")}]`;
  } else if (isTuple(value)) {
    const parts = value.items.map((item) => flat(ctx, item, depth + 1));
    text = `(${parts.join(", ")}${parts.length === 1 ? "," : ""})`;
  } else {
    return repr(ctx, value);
  }
  ctx.budget.grow(text.length);
  return text;
}

const words = new RegExp(`[^${spaceClass}]*[${spaceClass}]*`, "gu");

class Printer {
  readonly #ctx: PyContext;

  constructor(ctx: PyContext) {
    this.#ctx = ctx;
  }

  /** `indent` columns are taken on the left; `allowance` are needed on the right of the last line. */
  print(value: PyValue, indent: number, allowance: number, level: number): string {
    const whole = flat(this.#ctx, value, level);
    if (codePointCount(whole) <= WIDTH - indent - allowance) {
      return whole;
    }
    this.#ctx.budget.grow(indent);
    if (isDict(value)) {
      return `{${this.#entries(sortedEntries(this.#ctx, value), indent + 1, allowance + 1, level + 1)}}`;
    }
    if (isList(value)) {
      return `[${this.#items(value, indent + 1, allowance + 1, level + 1)}]`;
    }
    if (isTuple(value)) {
      const end = value.items.length === 1 ? ",)" : ")";
      return `(${this.#items(value.items, indent + 1, allowance + end.length, level + 1)}${end}`;
    }
    return typeof value === "string" ? this.#text(value, whole, indent, allowance, level + 1) : whole;
  }

  #items(items: readonly PyValue[], indent: number, allowance: number, level: number): string {
    return items
      .map((item, index) => this.print(item, indent, index === items.length - 1 ? allowance : 1, level))
      .join(`,\n${" ".repeat(indent)}`);
  }

  #entries(entries: readonly [PyValue, PyValue][], indent: number, allowance: number, level: number): string {
    return entries
      .map(([key, item], index) => {
        const name = flat(this.#ctx, key, level);
        const room = index === entries.length - 1 ? allowance : 1;
        return `${name}: ${this.print(item, indent + codePointCount(name) + 2, room, level)}`;
      })
      .join(`,\n${" ".repeat(indent)}`);
  }

  /** A long str: in lines, and those in words, as Python joins literals. */
  #text(text: string, whole: string, left: number, right: number, level: number): string {
    if (text === "") {
      return whole;
    }
    this.#ctx.budget.step(text.length >> 1);
    const outer = level === 1;
    const indent = left + (outer ? 1 : 0);
    const allowance = right + (outer ? 1 : 0);
    const lines = splitLines(text, true);
    const chunks: string[] = [];
    for (const [index, line] of lines.entries()) {
      const last = index === lines.length - 1;
      const width = WIDTH - indent;
      this.#ctx.budget.step(8);
      const written = reprText(line);
      if (codePointCount(written) <= width - (last ? allowance : 0)) {
        chunks.push(written);
      } else {
        chunks.push(...this.#words(line, width, last ? allowance : 0));
      }
    }
    if (chunks.length === 1) {
      return reprText(lines.at(-1) ?? "");
    }
    const joined = chunks.join(`\n${" ".repeat(indent)}`);
    return outer ? `(${joined})` : joined;
  }

  #words(line: string, width: number, allowance: number): string[] {
    const chunks: string[] = [];
    const parts = line.match(words) ?? [];
    parts.pop();
    let current = "";
    let room = width;
    for (const [index, part] of parts.entries()) {
      if (index === parts.length - 1) {
        room -= allowance;
      }
      this.#ctx.budget.step(8);
      this.#ctx.budget.grow((current.length + part.length) * 4);
      if (codePointCount(reprText(current + part)) > room) {
        if (current !== "") {
          chunks.push(reprText(current));
        }
        current = part;
      } else {
        current += part;
      }
    }
    return current === "" ? chunks : [...chunks, reprText(current)];
  }
}

/** `pprint.pformat(value)`. */
export function pretty(ctx: PyContext, value: PyValue): string {
  const text = new Printer(ctx).print(value, 0, 0, 0);
  ctx.budget.grow(text.length);
  return text;
}
