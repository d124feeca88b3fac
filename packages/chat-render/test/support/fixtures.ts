import { readFileSync, readdirSync } from "node:fs";
import { parseConversation, parseJson } from "../../src/index.ts";
import type { CompiledChatTemplate, RenderOptions, RenderedPrompt } from "../../src/index.ts";

export function fixture(name: string): string {
  return readFileSync(new URL(`../fixtures/${name}`, import.meta.url), "utf8");
}

/** Rows of a file of JSON lines. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- it tells what the rows are
export function fixtureLines<T>(name: string): readonly T[] {
  return fixture(name)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T);
}

/** Templates of the fixtures by name. */
export function fixtureTemplates(): ReadonlyMap<string, string> {
  const files = readdirSync(new URL("../fixtures/templates/", import.meta.url));
  return new Map(files.map((file) => [file.replace(/\.jinja$/u, ""), fixture(`templates/${file}`)]));
}

/** A conversation and what it is rendered with; values that must keep their meaning travel as JSON text. */
export interface ConversationRow {
  readonly name: string;
  readonly conversation: string;
  readonly add_generation_prompt?: boolean;
  readonly continue_final_message?: boolean | string;
  readonly special_tokens?: Readonly<Record<string, string>>;
  readonly kwargs?: string;
}

/** The special tokens and the clock that the expectations were made with. */
export const specialTokens = { bos_token: "<s>", eos_token: "</s>", unk_token: "<unk>", pad_token: "<pad>" };
export const now = new Date(2026, 6, 26, 12, 34, 56);

/** The variables of a JSON text. */
export function variablesOf(json: string): Readonly<Record<string, unknown>> {
  const value = parseJson(json);
  return Object.fromEntries((value as { entries(): Iterable<readonly [string, unknown]> }).entries());
}

export function renderRow(
  compiled: CompiledChatTemplate,
  row: Omit<ConversationRow, "name">,
  more: RenderOptions = {},
): RenderedPrompt {
  return compiled.render(parseConversation(row.conversation), {
    addGenerationPrompt: row.add_generation_prompt ?? false,
    continueFinalMessage: row.continue_final_message ?? false,
    specialTokens: row.special_tokens ?? specialTokens,
    kwargs: variablesOf(row.kwargs ?? "{}"),
    now,
    ...more,
  });
}
