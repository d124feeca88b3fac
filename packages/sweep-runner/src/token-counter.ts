import type { Engine } from "@onpar/engine-binding";
import { z } from "zod";
import type { ControlClient } from "./control-client.ts";
import { RunError } from "./errors.ts";

/** Counts the tokens of a text without special tokens around it. */
export interface TokenCounter {
  readonly source: "engine" | "server" | "tokenizer";
  /** @throws {RunError} `REQUEST_REFUSED` when a server that counted before does not count this text */
  count(text: string, signal?: AbortSignal): Promise<number>;
  /** The token ids of a text; null, or left out, where the tokenizer only counts. */
  ids?(text: string, signal?: AbortSignal): Promise<readonly number[] | null>;
}

export function engineTokenCounter(engine: Engine): TokenCounter {
  const ids = (text: string): number[] => engine.tokenize(text, { addSpecial: false });
  return { source: "engine", count: async (text) => ids(text).length, ids: async (text) => ids(text) };
}

const answerSchema = z.looseObject({
  count: z.int().min(0).optional(),
  tokens: z.array(z.unknown()).optional(),
});

type Tokenized = z.output<typeof answerSchema>;
const idsSchema = z.array(z.int().min(0));

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
    const tokenize = async (text: string, asking?: AbortSignal): Promise<Tokenized | null> => {
      const answer = await client.post("/tokenize", shape(model, text), asking);
      return answer.status === 200 ? (answerSchema.safeParse(answer.json).data ?? null) : null;
    };
    const ask = async (text: string, asking?: AbortSignal): Promise<number | null> => {
      const answer = await tokenize(text, asking);
      return answer?.count ?? answer?.tokens?.length ?? null;
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
      async ids(text, asking) {
        return idsSchema.safeParse((await tokenize(text, asking))?.tokens).data ?? null;
      },
    };
  }
  return null;
}
