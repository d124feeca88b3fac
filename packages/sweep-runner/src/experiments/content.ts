import { runPrompts, type RungPrompt } from "../ladders/rung.ts";
import { runRow, type RunRow } from "../ladders/run-row.ts";
import type { LadderContext } from "../ladders/points.ts";
import { withSystemFacts } from "../ladders/system-facts.ts";
import type { BenchConfig } from "@onpar/bench-config";
import { CONTENT_PROMPTS, type ContentType } from "./content-prompts.ts";

/** Acceptance and rates of one type of content. */
export interface ContentRow extends Omit<RunRow, "kind"> {
  readonly kind: "content";
  readonly content: ContentType;
}

/** The prompts of a type of content. */
export function contentPrompts(content: ContentType): readonly RungPrompt[] {
  return CONTENT_PROMPTS[content].map((text, index) => ({ id: `${content}-${index}`, text }));
}

/** One run over the prompts of one type, under the protocol of the configuration. */
export async function measureContent(
  content: ContentType,
  name: string,
  config: BenchConfig,
  context: LadderContext,
): Promise<ContentRow> {
  const { system, signal } = context;
  const draftBudget = await withSystemFacts(config, system, signal, async (facts) => facts.draftBudget);
  const { result } = await runPrompts({ ...context, config, prompts: contentPrompts(content), name });
  return { ...runRow(result, draftBudget), kind: "content", content };
}
