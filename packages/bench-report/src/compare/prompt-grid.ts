import type { Grid } from "./resample.ts";
import { median } from "./resample.ts";

/** Values of requests, and which prompt and repetition each belongs to. */
export interface PromptValues {
  readonly values: readonly (number | null)[] | null;
  readonly prompts: readonly string[] | null;
  readonly repetitions: readonly number[] | null;
}

/**
 * Two sides over the prompts that both sent, in order of repetition; null where a side does not tell, has one repetition, or too few
 * prompts are common. More values than `most` are thinned by prompts.
 */
export function pairGrids(
  a: PromptValues,
  b: PromptValues,
  { least, most }: { readonly least: number; readonly most: number },
): { readonly a: Grid; readonly b: Grid } | null {
  const [left, right] = [byRepetition(a), byRepetition(b)];
  if (left === null || right === null) return null;
  const known = new Set(right.flatMap((row) => [...row.keys()]));
  const common = [...new Set(left.flatMap((row) => [...row.keys()]))].filter((prompt) => known.has(prompt));
  if (common.length < least) return null;
  const room = Math.max(least, Math.floor(most / Math.max(left.length, right.length)));
  const step = Math.max(1, common.length / room);
  const prompts = Array.from(
    { length: Math.floor(common.length / step) },
    (_, index) => common[Math.floor(index * step)] ?? "",
  );
  const grid = (rows: readonly ReadonlyMap<string, number>[]): Grid =>
    rows.map((row) => Float64Array.from(prompts, (prompt) => row.get(prompt) ?? Number.NaN));
  return { a: grid(left), b: grid(right) };
}

/** The median of each prompt in each repetition; null where there is one repetition or they are not told. */
function byRepetition({ values, prompts, repetitions }: PromptValues): Map<string, number>[] | null {
  if (values === null || prompts === null || repetitions === null) return null;
  if (prompts.length !== values.length || repetitions.length !== values.length) return null;
  const rows = new Map<number, Map<string, number[]>>();
  for (const [index, value] of values.entries()) {
    const [prompt, repetition] = [prompts[index], repetitions[index]];
    if (value === null || prompt === undefined || repetition === undefined) continue;
    const row = rows.get(repetition) ?? new Map<string, number[]>();
    rows.set(repetition, row);
    const own = row.get(prompt);
    if (own === undefined) row.set(prompt, [value]);
    else own.push(value);
  }
  if (rows.size < 2) return null;
  return [...rows.values()].map((row) => new Map([...row].map(([prompt, own]) => [prompt, median(own)])));
}
