import { typeError } from "./errors.ts";
import { formatMethod } from "./str-format.ts";
import { isHidden } from "./hidden-attributes.ts";
import { like } from "./markup.ts";
import { dictMethods, unsafeDictMethods } from "./methods/dict-methods.ts";
import type { Method } from "./methods/method.ts";
import { floatMethods, intMethods } from "./methods/number-methods.ts";
import { listMethods, tupleMethods, unsafeListMethods } from "./methods/sequence-methods.ts";
import { strMethods } from "./methods/str-methods.ts";
import { markupMethods } from "./methods/markup-methods.ts";
import { intOf } from "./numbers.ts";
import { GroupTuple, PyFunction, PyMethod } from "./objects.ts";
import { subscript } from "./subscript.ts";
import { undefinedError, unsafeUndefined } from "./undefined.ts";
import {
  isList,
  PyDict,
  PyFloat,
  type PyMarkup,
  PyUndefined,
  textOf,
  typeName,
  type PyContext,
  type PyKwargs,
  type PyValue,
  isMarkup,
  isObject,
  isTuple,
  isDict,
  isUndefined,
} from "./value.ts";

function bind<S>(
  type: string,
  table: ReadonlyMap<string, Method<S>>,
  name: string,
  self: S,
): PyValue | undefined {
  const method = table.get(name);
  return method === undefined ? undefined : new PyMethod(type, name, self, method);
}

/** `str.format` and `str.format_map`, which see values as the sandbox does. */
function strFormat(value: string | PyMarkup, name: "format" | "format_map"): PyFunction {
  return new PyFunction(`${typeName(value)}.${name}`, (args, kwargs, ctx) => {
    const text = formatMethod(ctx, { getAttribute, getItem }, value, name, args, kwargs);
    return like(value, text);
  });
}

function publicAttribute(ctx: PyContext, value: PyValue, name: string): PyValue | undefined {
  if (typeof value === "string" || isMarkup(value)) {
    if (name === "format" || name === "format_map") {
      return strFormat(value, name);
    }
    const bound = isMarkup(value) ? bind("Markup", markupMethods, name, value) : undefined;
    return bound ?? bind(typeName(value), strMethods, name, typeof value === "string" ? value : value.text);
  }
  if (isList(value)) {
    return unsafeListMethods.has(name)
      ? unsafeUndefined(value, name)
      : bind("list", listMethods, name, value);
  }
  if (isObject(value)) {
    if (name === "fromkeys" && value instanceof PyFunction && value.name === "dict") {
      return bind("dict", dictMethods, name, new PyDict());
    }
    return value.getAttribute?.(name, ctx);
  }
  if (isTuple(value)) {
    if (value instanceof GroupTuple && (name === "grouper" || name === "list")) {
      return value.items[name === "grouper" ? 0 : 1];
    }
    return bind(typeName(value), tupleMethods, name, value);
  }
  const int = intOf(value);
  if (int !== undefined) {
    return name === "real" || name === "numerator"
      ? int
      : name === "imag"
        ? 0
        : name === "denominator"
          ? 1
          : bind(typeName(value), intMethods, name, int);
  }
  if (typeof value === "number" || value instanceof PyFloat) {
    const float = typeof value === "number" ? value : value.value;
    return name === "real"
      ? value
      : name === "imag"
        ? new PyFloat(0)
        : bind("float", floatMethods, name, float);
  }
  return undefined;
}

/** The attribute as the sandbox lets it out; undefined where Python raises AttributeError. */
export function lookupAttribute(ctx: PyContext, value: PyValue, name: string): PyValue | undefined {
  if (isDict(value)) {
    const method = dictMethods.get(name);
    if (method !== undefined) {
      return unsafeDictMethods.has(name)
        ? unsafeUndefined(value, name)
        : new PyMethod("dict", name, value, method);
    }
  }
  if (isHidden(value, name)) {
    return unsafeUndefined(value, name);
  }
  if (name.startsWith("_")) {
    if (isUndefined(value) && !(name.startsWith("__") && name.endsWith("__"))) {
      throw undefinedError(ctx, value);
    }
    return undefined;
  }
  if (isUndefined(value)) {
    throw undefinedError(ctx, value);
  }
  return publicAttribute(ctx, value, name);
}

/** Jinja's `value.name`: the attribute, else the item, else Undefined. */
export function getAttribute(ctx: PyContext, value: PyValue, name: string): PyValue {
  const attribute = lookupAttribute(ctx, value, name);
  if (attribute !== undefined) {
    return attribute;
  }
  const item = isDict(value) ? value.getNormal(name) : subscript(ctx, value, name);
  return item === undefined ? new PyUndefined(name, value) : item;
}

/** Jinja's `value[key]`: the item, else the attribute, else Undefined. */
export function getItem(ctx: PyContext, value: PyValue, key: PyValue): PyValue {
  const item = subscript(ctx, value, key);
  if (item !== undefined) {
    return item;
  }
  const name = textOf(key);
  const attribute = name === undefined ? undefined : lookupAttribute(ctx, value, name);
  return attribute === undefined ? new PyUndefined(key, value) : attribute;
}

/** `callee(*args, **kwargs)`. */
export function call(ctx: PyContext, callee: PyValue, args: readonly PyValue[], kwargs: PyKwargs): PyValue {
  if (isObject(callee) && callee.call !== undefined) {
    return callee.call(args, kwargs, ctx);
  }
  if (isUndefined(callee)) {
    throw undefinedError(ctx, callee);
  }
  throw typeError(`'${typeName(callee)}' object is not callable`);
}

export function isCallable(value: PyValue): boolean {
  return (isObject(value) && value.call !== undefined) || isUndefined(value);
}

/** `value.name(*args, **kwargs)`, without a bound method in between where the value is a str or a dict. */
export function callMethod(
  ctx: PyContext,
  value: PyValue,
  name: string,
  args: readonly PyValue[],
  kwargs: PyKwargs,
): PyValue {
  if (typeof value === "string") {
    const method = strMethods.get(name);
    if (method !== undefined) {
      return method(ctx, value, args, kwargs);
    }
  } else if (isDict(value) && !unsafeDictMethods.has(name)) {
    const method = dictMethods.get(name);
    if (method !== undefined) {
      return method(ctx, value, args, kwargs);
    }
  }
  return call(ctx, getAttribute(ctx, value, name), args, kwargs);
}
