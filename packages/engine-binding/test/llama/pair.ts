import { fileURLToPath } from "node:url";
import type { Engine, GenerateFinish, GenerateRequest, TokenBatch } from "../../src/index.ts";

const models = new URL("../../../demo-model/models/", import.meta.url);

/** The model pair of the workspace. */
export const TARGET = fileURLToPath(new URL("target-q8_0.gguf", models));
export const DRAFT = fileURLToPath(new URL("draft-q8_0.gguf", models));

/** Prompts of several kinds, in the pair's chat format. */
export const QUESTIONS = [
  'What is the difference between "sailor" and "captain"?',
  "Write a Python function that adds two numbers.",
  "Repeat this text exactly: The quick brown fox jumps over the lazy dog near the old stone bridge.",
  "What is 35 km in m?",
  "Write a short story about a dog.",
  "List five words that begin with s.",
  'Define "harbour".',
  "Write an e-mail that thanks a colleague for help.",
  "Make a table with the columns name and age and three rows.",
  "Explain how to boil an egg.",
] as const;

export function chat(question: string): string {
  return `<|im_start|>user\n${question}<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n`;
}

export interface Output {
  readonly batches: readonly TokenBatch[];
  readonly ids: readonly number[];
  readonly text: string;
  readonly finish: GenerateFinish;
}

/** What this engine tells, and others may not. */
export function told<T>(value: T | null): T {
  if (value === null) throw new Error("this engine tells it");
  return value;
}

/** Reads a generation to its end. */
export async function generate(
  engine: Engine,
  prompt: string | readonly number[],
  options: Omit<GenerateRequest, "prompt">,
  signal?: AbortSignal,
): Promise<Output> {
  const tokens = typeof prompt === "string" ? engine.tokenize(chat(prompt)) : prompt;
  const batches: TokenBatch[] = [];
  for await (const batch of engine.generate({ prompt: tokens, ...options }, signal)) batches.push(batch);
  const finish = batches.at(-1)?.finish;
  if (finish === undefined) throw new Error("a stream must end with a batch that carries `finish`");
  return {
    batches,
    ids: batches.flatMap((batch) => [...(batch.tokenIds ?? [])]),
    text: batches.map((batch) => batch.text).join(""),
    finish,
  };
}
