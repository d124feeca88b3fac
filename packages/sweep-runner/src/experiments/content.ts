import type { LadderContext } from "../ladders/points.ts";
import { runRow, type RunRow } from "../ladders/run-row.ts";
import { runPrompts, type RungPrompt } from "../ladders/rung.ts";
import { withSystemFacts } from "../ladders/system-facts.ts";
import type { SweepAxis, SweepStep } from "../sweep/sweep-plan.ts";
import { CONTENT_PROMPTS, CONTENT_TYPES, type ContentType } from "./content-prompts.ts";

/** Acceptance and rates of one type of content. */
export interface ContentRow extends Omit<RunRow, "kind"> {
  readonly kind: "content";
  readonly content: ContentType;
}

/** The types that the experiment goes through. */
export const CONTENT_AXIS: SweepAxis = { field: "content", values: CONTENT_TYPES, isLabel: true };

/** The prompts of a type of content. */
export function contentPrompts(content: ContentType): readonly RungPrompt[] {
  return CONTENT_PROMPTS[content].map((text, index) => ({ id: `${content}-${index}`, text }));
}

/** One run over the prompts of the type that the step names, under the protocol of the configuration. */
export async function measureContent(step: SweepStep, context: LadderContext): Promise<ContentRow> {
  const { system, signal } = context;
  const { config, point } = step;
  const content = CONTENT_TYPES.find((type) => type === point.values[CONTENT_AXIS.field]) ?? "prose";
  const draftBudget = await withSystemFacts(config, system, signal, async (facts) => facts.draftBudget);
  const { result } = await runPrompts({
    ...context,
    config,
    prompts: contentPrompts(content),
    name: step.id,
  });
  return { ...runRow(result, draftBudget), kind: "content", content };
}
