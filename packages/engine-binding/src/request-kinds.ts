import type { GenerateRequest, OutputFormat } from "./engine.ts";
import { EngineError } from "./errors.ts";

const SWITCHES = ["addSpecial", "ignoreEos", "cachePrompt", "speculate"] as const;

/**
 * Callers without types may give anything: what cannot be read would fail somewhere inside, and `"false"` would be a yes.
 *
 * @throws {EngineError} `ENGINE_INVALID_REQUEST` when a field is of another kind than its type says
 */
export function checkKinds(request: GenerateRequest): void {
  if (!isRecord(request)) refuse(`a request is an object with prompt and maxTokens, got ${kindOf(request)}`);
  const { prompt, stop, stopTokenIds, sampling, format, cacheSalt } = request;
  if (typeof prompt !== "string" && !isList(prompt)) {
    refuse(`prompt must be a text or a list of token ids, got ${kindOf(prompt)}`);
  }
  if (stop !== undefined && !Array.isArray(stop)) refuse(`stop must be a list of texts, got ${kindOf(stop)}`);
  if (stopTokenIds !== undefined && !isList(stopTokenIds)) {
    refuse(`stopTokenIds must be a list of token ids, got ${kindOf(stopTokenIds)}`);
  }
  if (sampling !== undefined && !isRecord(sampling)) {
    refuse(`sampling must be an object, got ${kindOf(sampling)}`);
  }
  if (cacheSalt !== undefined && typeof cacheSalt !== "string") {
    refuse(`cacheSalt must be a text, got ${kindOf(cacheSalt)}`);
  }
  for (const name of SWITCHES) {
    const value: unknown = request[name];
    if (value !== undefined && typeof value !== "boolean") {
      refuse(`${name} must be true or false, got ${kindOf(value)}`);
    }
  }
  if (format !== undefined) checkFormatKind(format);
}

function checkFormatKind(format: OutputFormat): void {
  if (!isRecord(format)) refuse(`format must be an object with kind, got ${kindOf(format)}`);
  if (format.kind === "grammar" && typeof format.grammar !== "string")
    refuse("format.grammar must be a text");
  if (format.kind === "json-schema" && !isRecord(format.schema)) refuse("format.schema must be an object");
}

function isRecord(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isList(value: unknown): boolean {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
}

/** What something is, for a message: a text as it stands, else its kind. */
export function kindOf(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

function refuse(message: string): never {
  throw new EngineError("ENGINE_INVALID_REQUEST", message);
}
