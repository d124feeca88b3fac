import { z } from "zod";
import { unreadable } from "./read-file.ts";

/** What a model carries: its templates by name, and its special tokens. */
export interface CarriedTemplates {
  readonly templates: ReadonlyMap<string, string>;
  readonly specialTokens: Readonly<Record<string, string>>;
}

const token = z.union([z.string(), z.looseObject({ content: z.string() })]);

const tokenizerConfig = z.looseObject({
  chat_template: z
    .union([z.string(), z.array(z.looseObject({ name: z.string(), template: z.string() })).max(64)])
    .nullish(),
  extra_special_tokens: z.record(z.string(), z.unknown()).nullish().catch(null),
});

function tokenText(value: unknown): string | null {
  const result = token.safeParse(value);
  if (!result.success) {
    return null;
  }
  return typeof result.data === "string" ? result.data : result.data.content;
}

/** `bos_token`, `image_token`, …: every key that ends in `_token` and holds a text. Null ones are left out. */
function specialTokensOf(...objects: readonly object[]): Record<string, string> {
  const tokens: Record<string, string> = {};
  for (const [name, value] of objects.flatMap((object) => Object.entries(object))) {
    const text = name.endsWith("_token") ? tokenText(value) : null;
    if (text !== null) {
      tokens[name] = text;
    }
  }
  return tokens;
}

/** Reads the content of a `tokenizer_config.json`. */
export function readTokenizerConfig(path: string, json: unknown): CarriedTemplates {
  const result = tokenizerConfig.safeParse(json);
  if (!result.success) {
    const issue = result.error.issues[0];
    throw unreadable(
      path,
      `${issue?.path.join(".") || "the whole"} is not what a tokenizer_config.json has there`,
    );
  }
  const { chat_template: template, extra_special_tokens: extra } = result.data;
  const named = typeof template === "string" ? [{ name: "default", template }] : (template ?? []);
  return {
    templates: new Map(named.map(({ name, template }) => [name, template])),
    specialTokens: specialTokensOf(extra ?? {}, result.data),
  };
}
