import { basename } from "node:path";
import type { SpeculationInfo } from "../engine.ts";
import { refuse } from "./options.ts";

/** Methods by the names that vLLM gives them. */
const DRAFT_HEADS = /^(?:eagle3?|medusa|mlp_speculator|.*mtp)$/u;

/**
 * What a `--speculative-config` asks for.
 *
 * @throws {EngineError} `ENGINE_INVALID_OPTIONS` when it is not what vLLM takes
 */
export function speculationInfo(config: string | undefined): SpeculationInfo | null {
  if (config === undefined) return null;
  const parsed = parse(config);
  const budget = parsed["num_speculative_tokens"];
  if (typeof budget !== "number" || !Number.isSafeInteger(budget) || budget < 1) {
    refuse(
      `speculativeConfig needs num_speculative_tokens, an integer of at least 1, got ${JSON.stringify(budget) ?? "none"}`,
    );
  }
  const { method, model } = parsed;
  const draftModel = typeof model === "string" && method !== "ngram" ? basename(model) : null;
  return { method: methodOf(method, draftModel), draftModel, draftBudget: budget, draftLength: "fixed" };
}

function parse(config: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(config);
  } catch (cause) {
    refuse(`speculativeConfig is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    refuse("speculativeConfig must be a JSON object");
  }
  return { ...value };
}

function methodOf(method: unknown, draftModel: string | null): SpeculationInfo["method"] {
  if (method === "ngram") return "ngram";
  if (method === "draft_model") return "draft-model";
  if (typeof method === "string") return DRAFT_HEADS.test(method) ? "draft-head" : "other";
  return draftModel === null ? "other" : "draft-model";
}
