/** Whether a value is a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value deep in JSON; undefined when there is none. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let current = value;
  for (const key of path) {
    if (Array.isArray(current) && typeof key === "number") current = current[key] as unknown;
    else if (isRecord(current) && typeof key === "string") current = current[key];
    else return undefined;
  }
  return current;
}

/** A whole number that is not negative, also when it is written as text; null when it is none. */
export function countAt(value: unknown, ...path: readonly (string | number)[]): number | null {
  const found = at(value, ...path);
  const number = typeof found === "string" && /^\d{1,9}$/.test(found) ? Number(found) : found;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : null;
}

export function numberAt(value: unknown, ...path: readonly (string | number)[]): number | null {
  const found = at(value, ...path);
  return typeof found === "number" && Number.isFinite(found) ? found : null;
}

export function textAt(value: unknown, ...path: readonly (string | number)[]): string | null {
  const found = at(value, ...path);
  return typeof found === "string" && found.length <= 1000 ? found : null;
}

/** A whole number that is not negative, as a JSON number; null when it is none. Text is no number here. */
export function jsonCountAt(value: unknown, ...path: readonly (string | number)[]): number | null {
  return typeof at(value, ...path) === "number" ? countAt(value, ...path) : null;
}
