import { at, isRecord, jsonCountAt } from "../json.ts";
import { readAcceptedHistogram } from "./accepted-histogram.ts";
import { NOTHING_TOLD, type RequestAcceptance } from "./request-acceptance.ts";

/**
 * vLLM's `metrics.speculative_decoding` (0.29 and later, with `--per-request-spec-decode-metrics`); in a stream it comes with
 * the last chunk of usage.
 */
export function vllmRequest(json: unknown): RequestAcceptance | null {
  const spec = at(json, "metrics", "speculative_decoding");
  if (!isRecord(spec)) return null;
  const draftTokens = jsonCountAt(spec, "num_draft_tokens");
  const acceptedTokens = jsonCountAt(spec, "num_accepted_draft_tokens");
  if (draftTokens === null || acceptedTokens === null) return null;
  return {
    ...NOTHING_TOLD,
    engine: "vllm",
    fields: "metrics.speculative_decoding",
    draftTokens,
    acceptedTokens,
    verifySteps: jsonCountAt(spec, "num_spec_steps"),
    acceptedPerPosition: readAcceptedHistogram(spec["acceptance_histogram"])?.acceptedPerPosition ?? null,
    generated: jsonCountAt(json, "usage", "completion_tokens"),
    draftBudget: jsonCountAt(spec, "num_spec_tokens"),
  };
}
