/** Anything that UTF-16 writes in two units, or half of it. */
const surrogate = /[\ud800-\udfff]/;

/** True where units and code points may count differently. */
export function hasSurrogates(text: string): boolean {
  return surrogate.test(text);
}

/** Python's `len` of a str. */
export function codePointCount(text: string): number {
  if (!hasSurrogates(text)) {
    return text.length;
  }
  let count = 0;
  for (let index = 0; index < text.length; count += 1) {
    index += unitsAt(text, index);
  }
  return count;
}

/** 2 where a surrogate pair starts at `index`, else 1. */
export function unitsAt(text: string, index: number): 1 | 2 {
  return (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
}

/** The index in UTF-16 units of the code point number `count`, from `start`. */
export function unitIndex(text: string, count: number, start = 0): number {
  let index = start;
  for (let left = count; left > 0 && index < text.length; left -= 1) {
    index += unitsAt(text, index);
  }
  return index;
}

/** The code points from `start` to before `stop`, both inside the text. */
export function sliceCodePoints(text: string, start: number, stop: number): string {
  if (!hasSurrogates(text)) {
    return text.slice(start, stop);
  }
  const from = unitIndex(text, start);
  return text.slice(from, unitIndex(text, stop - start, from));
}

/** Python's order of two texts: by code points, which UTF-16 order is not beyond U+FFFF. */
export function compareTexts(a: string, b: string): number {
  if (a === b) {
    return 0;
  }
  if (!hasSurrogates(a) && !hasSurrogates(b)) {
    return a < b ? -1 : 1;
  }
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    if (a.charCodeAt(index) !== b.charCodeAt(index)) {
      return (a.codePointAt(index) ?? 0) - (b.codePointAt(index) ?? 0);
    }
  }
  return a.length - b.length;
}
