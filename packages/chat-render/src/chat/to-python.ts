import { RenderError } from "../error.ts";
import {
  PyDict,
  PyFloat,
  type PyMarkup,
  type PyObject,
  type PyTuple,
  type PyUndefined,
  type PyValue,
  isDict,
  isTuple,
  isObject,
  isUndefined,
  isMarkup,
} from "../python/value.ts";

/** Values inside each other, in a conversation or in variables. */
const MAX_DEPTH = 500;

/** Values of one list of messages, of tools, or of one variable. */
const MAX_VALUES = 5_000_000;

/** Keys on the way that an error shows. */
const MAX_SHOWN_KEYS = 12;

/** The way to the value that is being converted; keys are only joined for an error. */
interface Walk {
  readonly root: string;
  readonly keys: (string | number)[];
  left: number;
}

/** `messages[2].content[0].text` */
function pathOf({ root, keys }: Walk, key?: string | number): string {
  const shown = (key === undefined ? keys : [...keys, key]).slice(0, MAX_SHOWN_KEYS);
  return shown.reduce<string>(
    (path, part) => (typeof part === "number" ? `${path}[${part}]` : `${path}.${part}`),
    root,
  );
}

function refused(path: string, what: string): RenderError {
  const [, index, field] = /^messages\[(\d+)\]\.?(.*)$/u.exec(path) ?? [];
  return new RenderError("MESSAGES_INVALID", `${path}: ${what}`, {
    field: field ?? path,
    ...(index === undefined ? {} : { messageIndex: Number(index) }),
  });
}

function isPython(value: object): value is PyDict | PyFloat | PyTuple | PyObject | PyUndefined | PyMarkup {
  return (
    isDict(value) ||
    value instanceof PyFloat ||
    isTuple(value) ||
    isObject(value) ||
    isUndefined(value) ||
    isMarkup(value)
  );
}

function numberOf(value: number): number | bigint {
  // JavaScript cannot tell 1.0 from 1: whole numbers are ints, as in JSON without a fraction.
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) {
    return value === 0 ? 0 : value;
  }
  return BigInt(value);
}

function bigintOf(value: bigint): number | bigint {
  const small = Number(value);
  return Number.isSafeInteger(small) ? small : value;
}

function convert(value: unknown, key: string | number | undefined, walk: Walk): PyValue {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return numberOf(value);
    case "bigint":
      return bigintOf(value);
    case "object":
      if (value === null || isPython(value)) {
        return value;
      }
      break;
    default:
      throw refused(pathOf(walk, key), `a ${typeof value} means nothing to a template`);
  }
  if (key !== undefined) {
    walk.keys.push(key);
  }
  const converted = convertObject(value, walk);
  if (key !== undefined) {
    walk.keys.pop();
  }
  return converted;
}

/** Of a Date, a Set or bytes nothing, or something else than it means, would be left. */
function checkType(value: object, walk: Walk): void {
  const type = Object.prototype.toString.call(value).slice(8, -1);
  if (type !== "Object") {
    throw refused(pathOf(walk), `a ${type} means nothing to a template`);
  }
}

function convertObject(value: object, walk: Walk): PyValue {
  if (walk.keys.length > MAX_DEPTH) {
    throw refused(pathOf(walk), `is nested deeper than ${MAX_DEPTH} levels, or holds itself`);
  }
  if (Array.isArray(value)) {
    charge(walk, value.length);
    return value.map((item: unknown, index) => convert(item ?? null, index, walk));
  }
  const dict = new PyDict();
  if (value instanceof Map) {
    charge(walk, value.size);
    for (const [key, item] of value as Map<unknown, unknown>) {
      dict.set(convert(key, String(key), walk), convert(item ?? null, String(key), walk));
    }
    return dict;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) {
    checkType(value, walk);
  }
  const keys = Object.keys(value);
  charge(walk, keys.length);
  for (const key of keys) {
    const item: unknown = Reflect.get(value, key);
    // As in JSON: a field that is undefined is not there.
    if (item !== undefined) {
      dict.set(key, convert(item, key, walk));
    }
  }
  return dict;
}

function charge(walk: Walk, values: number): void {
  walk.left -= values;
  if (walk.left < 0) {
    throw refused(pathOf(walk), `has more than ${MAX_VALUES} values in it`);
  }
}

/**
 * What a template sees of a JavaScript value: objects and maps as dicts, arrays as lists, null as None, whole numbers as
 * ints. Values of the JSON reader, which know more (1.0 from 1), stay as they are.
 *
 * @param root names the value in errors: `messages`, `kwargs.date`
 * @throws RenderError `MESSAGES_INVALID` for functions, symbols, cycles and what is nested too deeply
 */
export function toPython(value: unknown, root: string): PyValue {
  return convert(value, undefined, { root, keys: [], left: MAX_VALUES });
}
