import { PyDict, isList, textOf, type PyValue, isDict } from "../python/value.ts";

/** A dict of these entries, without those that are undefined. */
export function dictOf(entries: readonly (readonly [key: string, value: PyValue | undefined])[]): PyDict {
  const dict = new PyDict();
  for (const [key, value] of entries) {
    if (value !== undefined) {
      dict.set(key, value);
    }
  }
  return dict;
}

/** The value under a key; undefined where there is none or it is None. */
export function given(dict: PyDict, key: string): Exclude<PyValue, null> | undefined {
  return dict.get(key) ?? undefined;
}

/** The text under a key; undefined where there is something else or nothing. */
export function textAt(dict: PyDict, key: string): string | undefined {
  return textOf(dict.get(key) ?? null);
}

export function dictAt(dict: PyDict, key: string): PyDict | undefined {
  const value = dict.get(key);
  return isDict(value) ? value : undefined;
}

export function listAt(dict: PyDict, key: string): readonly PyValue[] | undefined {
  const value = dict.get(key) ?? null;
  return isList(value) ? value : undefined;
}

/** The role of a message; empty where it has none. */
export function roleOf(message: PyValue | undefined): string {
  return isDict(message) ? (textAt(message, "role") ?? "") : "";
}
