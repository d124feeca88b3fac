// The bundled pair's own prompts of one message, written as each client reads prompts.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { demoModel } from "../../../packages/demo-model/dist/index.js";

/**
 * Template variables of every request. An output that begins with reasoning begins with a marker that shows as no text, and its
 * first token would be another one for the client than for the server.
 */
export const TEMPLATE = { enable_thinking: false };

/** Paths of the files, by the name of the client. */
export function writePrompts(folder, { requests, outputLength }) {
  const texts = readFileSync(demoModel.promptsPath, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).messages)
    .filter((messages) => messages.length === 1)
    .map(([message]) => message.content)
    .slice(0, requests);
  if (texts.length < requests)
    throw new Error(`--requests: there are ${texts.length} prompts of one message`);
  const write = (name, rowOf) => {
    const file = path.join(folder, `${name}.jsonl`);
    writeFileSync(file, `${texts.map((text) => JSON.stringify(rowOf(text))).join("\n")}\n`);
    return file;
  };
  const book = path.join(folder, "book.txt");
  writeFileSync(book, texts.join("\n\n").repeat(8));
  return {
    onpar: write("onpar", (prompt) => ({ prompt })),
    guidellm: write("guidellm", (prompt) => ({ prompt, output_tokens_count: outputLength })),
    aiperf: write("aiperf", (text) => ({ text, output_length: outputLength })),
    vllm: write("vllm", (prompt) => ({ prompt, output_tokens: outputLength })),
    book,
  };
}
