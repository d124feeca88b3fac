/** Where two prompts part. */
export interface PromptDifference {
  /** UTF-16 units that they share at their start. */
  readonly at: number;
  readonly line: number;
  readonly column: number;
}

/** Characters shown before and after the place. */
const CONTEXT = 60;

/** The first place at which two texts differ; null where they are the same. */
export function firstDifference(a: string, b: string): PromptDifference | null {
  if (a === b) return null;
  let at = 0;
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  // Half of a character is no place.
  if (at > 0 && /[\ud800-\udbff]/.test(a.charAt(at - 1))) at -= 1;
  const before = a.slice(0, at);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { at, line: before.split("\n").length, column: Array.from(before.slice(lineStart)).length + 1 };
}

function quoted(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function shown(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - CONTEXT), at);
  const after = text.slice(at, at + CONTEXT);
  const head = at > CONTEXT ? "…" : "";
  const tail = at + CONTEXT < text.length ? "…" : "";
  return `${head}${quoted(before)}»${quoted(after)}${tail}`;
}

/** One side of a comparison: the prompt, or why there is none. */
export type Side =
  | { readonly name: string; readonly text: string }
  | { readonly name: string; readonly refusal: string };

/** Lines that tell where two views part; `»` marks the place. */
export function diffLines(left: Side, right: Side): string[] {
  const names = [left.name, right.name];
  const width = Math.max(...names.map((name) => name.length));
  const row = (name: string, text: string): string => `  ${name.padEnd(width)}  ${text}`;
  if ("text" in left && "text" in right) {
    const difference = firstDifference(left.text, right.text);
    if (difference === null)
      return [`${left.name} and ${right.name} render the same ${left.text.length} characters`];
    const { at, line, column } = difference;
    return [
      `${left.name} and ${right.name} part at line ${line}, column ${column} (character ${at} of ${left.text.length} and ${right.text.length}):`,
      row(left.name, shown(left.text, at)),
      row(right.name, shown(right.text, at)),
    ];
  }
  const told = (side: Side): string =>
    row(side.name, "text" in side ? `renders ${side.text.length} characters` : `refuses: ${side.refusal}`);
  return [`${left.name} and ${right.name} part:`, told(left), told(right)];
}
