import { getItem } from "../access.ts";
import { like } from "../markup.ts";
import { parseInteger } from "../parse-numbers.ts";
import { classPatterns } from "../unicode.ts";
import { textOf, type PyContext, type PyValue, isUndefined } from "../value.ts";

export type Getter = (item: PyValue) => PyValue;

const digits = classPatterns["isdigit"] ?? /^\d+$/;

/** `a.b.0` in its parts; digits are indices. */
function attributeParts(attribute: PyValue): readonly PyValue[] {
  if (attribute === null) {
    return [];
  }
  const text = textOf(attribute);
  return text === undefined
    ? [attribute]
    : text.split(".").map((part) => (digits.test(part) ? parseInteger(part, 10) : like(attribute, part)));
}

/** Text in lower case, everything else as it is: how filters compare unless they are told to see case. */
export function ignoreCase(value: PyValue): PyValue {
  const text = textOf(value);
  return text === undefined ? value : text.toLowerCase();
}

/** A function that looks up `attribute`, with dots for deeper ones, as Jinja's filters do. */
export function attributeGetter(
  ctx: PyContext,
  attribute: PyValue,
  options: { readonly post?: (value: PyValue) => PyValue; readonly missing?: PyValue } = {},
): Getter {
  const parts = attributeParts(attribute);
  const { post, missing = null } = options;
  return (item) => {
    let value = item;
    for (const part of parts) {
      value = getItem(ctx, value, part);
      if (missing !== null && isUndefined(value)) {
        value = missing;
      }
    }
    return post === undefined ? value : post(value);
  };
}

/** A function that gives the values of several attributes, with commas between their names. */
export function multiGetter(
  ctx: PyContext,
  attribute: PyValue,
  post?: (value: PyValue) => PyValue,
): (item: PyValue) => PyValue[] {
  const text = textOf(attribute);
  const names = text === undefined ? [attribute] : text.split(",").map((name) => like(attribute, name));
  const getters = names.map((name) => attributeGetter(ctx, name, post === undefined ? {} : { post }));
  return (item) => getters.map((getter) => getter(item));
}
