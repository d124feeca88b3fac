import type { Engine } from "@onpar/engine-binding";
import { z } from "zod";
import type { ControlClient } from "./control-client.ts";
import { RunError } from "./errors.ts";

/** Counts the tokens of a text without special tokens around it. */
export interface TokenCounter {
  readonly source: "engine" | "server";
  /** @throws {RunError} `REQUEST_REFUSED` when a server that counted before does not count this text */
  count(text: string, signal?: AbortSignal): Promise<number>;
}

export function engineTokenCounter(engine: Engine): TokenCounter {
  return { source: "engine", count: async (text) => engine.tokenize(text, { addSpecial: false }).length };
}

const answerSchema = z.looseObject({
  count: z.int().min(0).optional(),
  tokens: z.array(z.unknown()).optional(),
});

/** Two shapes of `POST /tokenize`: vLLM (also SGLang, onpar-server) and llama.cpp. */
const SHAPES: readonly ((model: string, text: string) => Record<string, string | boolean>)[] = [
  (model, text) => ({ model, prompt: text, add_special_tokens: false }),
  (_, text) => ({ content: text, add_special: false }),
];

/** The server's own tokenizer, or null when it does not offer one. */
export async function serverTokenCounter(
  client: ControlClient,
  model: string,
  signal?: AbortSignal,
): Promise<TokenCounter | null> {
  for (const shape of SHAPES) {
    const ask = async (text: string, asking?: AbortSignal): Promise<number | null> => {
      const answer = await client.post("/tokenize", shape(model, text), asking);
      if (answer.status !== 200) return null;
      const parsed = answerSchema.safeParse(answer.json);
      return parsed.success ? (parsed.data.count ?? parsed.data.tokens?.length ?? null) : null;
    };
    // llama.cpp answers a key that it does not know with an empty list: only a count above 0 is an answer.
    const probe = await ask("one two three", signal);
    if (probe === null || probe === 0) continue;
    return {
      source: "server",
      async count(text, asking) {
        const count = await ask(text, asking);
        if (count === null) {
          throw new RunError(
            "REQUEST_REFUSED",
            `${client.root}/tokenize counted a short text and not one of ${text.length} characters: ` +
              "shorten the prompts with --input-len, or bring them with --dataset-path",
          );
        }
        return count;
      },
    };
  }
  return null;
}
