import { readFileSync } from "node:fs";
import { RenderError, applyChatTemplate } from "../src/index.ts";
import type { Conversation, RenderOptions } from "../src/index.ts";

/** A row of cases.json. */
export interface Case {
  readonly name: string;
  readonly template?: string;
  readonly template_file?: string;
  readonly messages: Conversation["messages"];
  readonly tools?: Conversation["tools"];
  readonly documents?: Conversation["documents"];
  readonly add_generation_prompt?: boolean;
  readonly special_tokens?: Record<string, string>;
  readonly kwargs?: Record<string, unknown>;
  readonly now?: string;
}

/** What Python gave. */
export type Expectation =
  | { readonly text: string }
  | { readonly error: { readonly class: string; readonly message: string } };

export function fixture(name: string): string {
  return readFileSync(new URL(`./fixtures/${name}`, import.meta.url), "utf8");
}

export const cases = JSON.parse(fixture("cases.json")) as readonly Case[];
export const expected = JSON.parse(fixture("expected.json")) as Readonly<Record<string, Expectation>>;

export function render(row: Case): string {
  const template = row.template ?? fixture(row.template_file ?? "");
  const conversation: Conversation = {
    messages: row.messages,
    ...(row.tools === undefined ? {} : { tools: row.tools }),
    ...(row.documents === undefined ? {} : { documents: row.documents }),
  };
  const options: RenderOptions = {
    addGenerationPrompt: row.add_generation_prompt ?? false,
    ...(row.special_tokens === undefined ? {} : { specialTokens: row.special_tokens }),
    ...(row.kwargs === undefined ? {} : { kwargs: row.kwargs }),
    ...(row.now === undefined ? {} : { now: new Date(row.now) }),
  };
  return applyChatTemplate(template, conversation, options).text;
}

/** The error that an action ends in. */
export function errorOf(action: () => unknown): RenderError {
  try {
    action();
  } catch (error) {
    if (error instanceof RenderError) {
      return error;
    }
    throw error;
  }
  throw new Error("nothing was thrown");
}
