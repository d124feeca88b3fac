import type { RequestRecord } from "../record.ts";
import { contextRow, type ContextRow } from "../ladders/context-row.ts";
import { contextPrompt, sourceCharsFor } from "../ladders/context-prompt.ts";
import type { LadderContext } from "../ladders/points.ts";
import { fileStem, runPrompts } from "../ladders/rung.ts";
import { readSourceText } from "../ladders/source-text.ts";
import { withSystemFacts } from "../ladders/system-facts.ts";
import type { SweepStep } from "../sweep/sweep-plan.ts";
import { FIXED_CLASS, FIXED_TASK } from "./fixed-class.ts";

/** How a copy compares with what had to be copied. */
export interface CopyCheck {
  readonly exact: boolean;
  /** First line that differs, from 1; null for an exact copy. */
  readonly firstDifference: number | null;
  /** What stands there instead, shortened; null where the copy ends. */
  readonly found: string | null;
}

/** One rung of the fixed-output experiment: a context ladder whose wanted output is always the same. */
export interface FixedOutputRow extends Omit<ContextRow, "kind"> {
  readonly kind: "fixed-output";
  /** Of every repetition that ended well, in order. */
  readonly copies: readonly CopyCheck[];
  readonly exact: number;
}

/** Compares a copy line by line. A fence of Markdown around it is no difference; white space at line ends is. */
export function checkCopy(text: string, wanted: string = FIXED_CLASS): CopyCheck {
  const copy = unfenced(text).trim().split("\n");
  const lines = wanted.trim().split("\n");
  for (let index = 0; index < Math.max(copy.length, lines.length); index++) {
    if (copy[index] === lines[index]) continue;
    return { exact: false, firstDifference: index + 1, found: copy[index]?.slice(0, 120) ?? null };
  }
  return { exact: true, firstDifference: null, found: null };
}

function unfenced(text: string): string {
  return /^\s*```[^\n]*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text;
}

/**
 * One prefix length of the fixed-output experiment. The output is constant, so that only what the drafter is conditioned on can
 * change the tokens accepted per pass.
 */
export async function measureFixedOutput(step: SweepStep, context: LadderContext): Promise<FixedOutputRow> {
  const { config } = step;
  const { system, signal } = context;
  return withSystemFacts(config, system, signal, async ({ counter, draftBudget }) => {
    const stem = fileStem(step.id);
    const prompt = await contextPrompt({
      id: stem,
      tag: `${context.tag}-${stem}`,
      source: await readSourceText(config.dataset.sourcePath, sourceCharsFor(config.inputLen), config.seed),
      target: config.inputLen,
      task: `${FIXED_CLASS}\n\n${FIXED_TASK}`,
      counter,
      signal,
    });
    const { result, records } = await runPrompts({
      ...context,
      config: { ...config, concurrency: 1, client: { ...config.client, keepText: true } },
      prompts: Array.from({ length: config.repetition.reps + 1 }, () => prompt),
      name: step.id,
    });
    const row = contextRow({
      records,
      result,
      contextTarget: config.inputLen,
      contextTokens: prompt.contextTokens,
      promptBytes: prompt.bytes,
      draftBudget,
    });
    const copies = records.filter(({ state }) => state === "ok").map((record) => checkCopy(textOf(record)));
    return { ...row, kind: "fixed-output", copies, exact: copies.filter(({ exact }) => exact).length };
  });
}

function textOf({ text }: RequestRecord): string {
  return text ?? "";
}
