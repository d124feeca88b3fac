import type { FlagValues } from "../flag-values.ts";
import { shownValue } from "../words.ts";

/** Why a flag of another harness cannot be taken; the message follows its name. */
export class Refusal extends Error {}

export function textsOf(values: FlagValues, key: string): string[] {
  const raw = values[key];
  const list = raw === undefined ? [] : Array.isArray(raw) ? raw : [raw];
  return list.map(String);
}

/** The one argument of a flag. @throws {Refusal} for two different ones */
export function textOf(values: FlagValues, key: string): string | null {
  const texts = new Set(textsOf(values, key));
  if (texts.size > 1) {
    throw new Refusal(
      `is given with different values (${[...texts].map((text) => shownValue("", text)).join(", ")}); keep one`,
    );
  }
  return [...texts][0] ?? null;
}

export function numberOf(text: string): number {
  const value = /^\d+(\.\d+)?$/u.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(value)) {
    throw new Refusal(`expected a number, got ${shownValue("", text)}`);
  }
  return value;
}

export function numbersOf(text: string): number[] {
  return text.split(",").map((part) => numberOf(part.trim()));
}

export const backends: Readonly<Record<string, string>> = {
  vllm: "completions",
  openai: "completions",
  "openai-chat": "chat-completions",
  "vllm-chat": "chat-completions",
  sglang: "sglang-generate",
  "sglang-native": "sglang-generate",
  "sglang-oai": "completions",
  "sglang-oai-chat": "chat-completions",
  lmdeploy: "completions",
  "lmdeploy-chat": "chat-completions",
  "llama.cpp": "completions",
};

export const paths: Readonly<Record<string, string>> = {
  "/v1/completions": "completions",
  "/v1/chat/completions": "chat-completions",
  "/v1/responses": "responses",
  "/completion": "llama-completion",
  "/generate": "sglang-generate",
  "/api/chat": "ollama-chat",
};

export const dataSets: Readonly<Record<string, string>> = {
  random: "random-text",
  "random-ids": "random-ids",
  sharegpt: "sharegpt",
  custom: "prompts",
  openai: "openai-batch",
  prefix_repetition: "shared-prefix",
  "generated-shared-prefix": "shared-prefix",
  timed_trace: "trace",
  mooncake: "trace",
};

export function known(table: Readonly<Record<string, string>>, what: string, name: string): string {
  const found = Object.hasOwn(table, name) ? table[name] : undefined;
  if (found === undefined) {
    throw new Refusal(
      `no ${what} of this program is ${shownValue("", name)}; known are ${Object.keys(table).join(", ")}`,
    );
  }
  return found;
}

export const toldFigures = new Set(["ttft", "tpot", "itl", "e2el"]);
export const toldPercentiles = new Set([50, 90, 99]);

export function refuseUntold(names: readonly string[], told: (name: string) => boolean, all: string): void {
  const missing = names.filter((name) => !told(name));
  if (missing.length > 0) {
    throw new Refusal(`cannot be honoured for ${missing.join(", ")}; told are ${all}`);
  }
}

export function isInfinite(text: string | null): boolean {
  return text !== null && /^(inf|infinity)$/iu.test(text);
}

export function joined(folder: string | null, file: string): string {
  return folder === null ? file : `${folder.replace(/[\\/]+$/u, "")}/${file}`;
}
