import { at, isRecord, jsonCountAt, numberAt } from "../json.ts";
import { NOTHING_TOLD, type RequestAcceptance } from "./request-acceptance.ts";

/**
 * TensorRT-LLM: `avg_decoded_tokens_per_iter` of a choice, which is tokens per step and tells no drafts; or a record of
 * `GET /perf_metrics`, which counts them.
 */
export function trtllmRequest(json: unknown): RequestAcceptance | null {
  return fromPerfMetrics(json) ?? fromChoice(json);
}

function fromPerfMetrics(json: unknown): RequestAcceptance | null {
  const record = at(json, "perf_metrics") ?? json;
  const spec = at(record, "speculative_decoding");
  if (!isRecord(spec)) return null;
  const draftTokens = jsonCountAt(spec, "total_draft_tokens");
  const acceptedTokens = jsonCountAt(spec, "total_accepted_draft_tokens");
  if (draftTokens === null || acceptedTokens === null) return null;
  const [first, last] = [jsonCountAt(record, "first_iter"), jsonCountAt(record, "last_iter")];
  return {
    ...NOTHING_TOLD,
    engine: "trtllm",
    fields: "perf_metrics.speculative_decoding",
    draftTokens,
    acceptedTokens,
    // The first iteration is the prefill. A request that was paused in between has had fewer.
    decodeSteps: first === null || last === null || last < first ? null : last - first,
  };
}

/** With several choices the tokens of each are not told, so that their means cannot be put together. */
function fromChoice(json: unknown): RequestAcceptance | null {
  const choices = at(json, "choices");
  if (!Array.isArray(choices) || choices.length !== 1) return null;
  const perStep = numberAt(choices[0], "avg_decoded_tokens_per_iter");
  if (perStep === null || perStep < 1) return null;
  const generated = jsonCountAt(json, "usage", "completion_tokens");
  return {
    ...NOTHING_TOLD,
    engine: "trtllm",
    fields: "choices[].avg_decoded_tokens_per_iter",
    generated,
    decodeSteps: generated === null || generated < 1 ? null : (generated - 1) / perStep,
  };
}
