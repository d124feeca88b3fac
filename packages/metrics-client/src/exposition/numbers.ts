const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const NOT_A_NUMBER = /^[+-]?nan$/i;
const INFINITE = /^([+-]?)inf(?:inity)?$/i;
const INTEGER = /^-?\d{1,18}$/;
const DECIMAL = /^[+-]?\d{1,18}(?:\.\d*)?(?:[eE][+-]?\d{1,3})?$/;

/** Number of the exposition formats, which know more spellings than JavaScript; undefined when it is none. */
export function parseValue(text: string): number | undefined {
  if (NUMBER.test(text)) return Number(text);
  if (NOT_A_NUMBER.test(text)) return Number.NaN;
  const infinite = INFINITE.exec(text);
  if (infinite === null) return undefined;
  return infinite[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

/** Whole milliseconds (classic format); undefined when it is none. */
export function parseMilliseconds(text: string): number | undefined {
  return INTEGER.test(text) ? Number(text) : undefined;
}

/** Seconds with a fraction (OpenMetrics) as milliseconds; undefined when it is none. */
export function parseSeconds(text: string): number | undefined {
  return DECIMAL.test(text) ? Number(text) * 1000 : undefined;
}
