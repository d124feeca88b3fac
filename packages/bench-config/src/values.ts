export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Freezes a value and everything in it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    Object.values(value).forEach(deepFreeze);
    Object.freeze(value);
  }
  return value;
}

/** The value at a path such as `sampling.topP`. */
export function valueAt(nested: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>((inner, key) => (isPlainObject(inner) ? inner[key] : undefined), nested);
}
