import type { LoadedTemplate } from "@onpar/chat-render/node";
import { loadGgufTokenizer } from "@onpar/engine-binding";

import { UsageError } from "./usage-error.ts";

/** A token of a prompt. */
export interface PromptToken {
  readonly id: number;
  readonly text: string;
}

const HTTP_TIMEOUT_MS = 10_000;

async function fromGguf(path: string, prompt: string): Promise<readonly PromptToken[]> {
  const tokenizer = await loadGgufTokenizer(path);
  try {
    return tokenizer
      .tokenize(prompt, { parseSpecial: true })
      .map((id) => ({ id, text: tokenizer.detokenize([id], { renderSpecial: true }) }));
  } finally {
    await tokenizer.dispose();
  }
}

/** Tokens of `POST /tokenize`: ids, or ids with their pieces. */
function tokensOf(value: unknown): readonly PromptToken[] | null {
  if (typeof value !== "object" || value === null || !("tokens" in value) || !Array.isArray(value.tokens))
    return null;
  const tokens: PromptToken[] = [];
  for (const token of value.tokens as readonly unknown[]) {
    if (typeof token === "number") tokens.push({ id: token, text: "" });
    else if (typeof token === "object" && token !== null && "id" in token && typeof token.id === "number") {
      tokens.push({
        id: token.id,
        text: "piece" in token && typeof token.piece === "string" ? token.piece : "",
      });
    } else return null;
  }
  return tokens;
}

async function fromServer(address: string, prompt: string): Promise<readonly PromptToken[]> {
  const url = new URL("/tokenize", address);
  // llama.cpp reads `content`, vLLM `prompt`; each has its own word for adding no special tokens.
  const body = {
    content: prompt,
    prompt,
    add_special: false,
    add_special_tokens: false,
    parse_special: true,
    with_pieces: true,
  };
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(HTTP_TIMEOUT_MS),
  });
  const tokens = response.ok ? tokensOf(await response.json()) : null;
  if (tokens === null)
    throw new UsageError(`--tokens: ${url.href} gave no tokens (status ${response.status})`);
  return tokens;
}

/**
 * Tokens of a prompt, by the tokenizer of the source that its template comes from. No special token is added.
 *
 * @throws {UsageError} where that source has no tokenizer that can be run here
 */
export async function tokensOfPrompt(
  source: LoadedTemplate,
  prompt: string,
): Promise<readonly PromptToken[]> {
  if (source.kind === "gguf" && source.path !== null) return fromGguf(source.path, prompt);
  if (source.kind === "server" && source.path !== null) return fromServer(source.path, prompt);
  const what = source.kind === "literal" ? "a template alone" : (source.path ?? source.kind);
  throw new UsageError(
    `--tokens: ${what} comes with no tokenizer that runs here: name a GGUF file or a server with --model`,
  );
}
