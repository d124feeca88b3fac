import type { SpecDecodeCounts } from "../normal/acceptance.ts";
import { llamaCppRequest } from "./llama-cpp.ts";
import type { RequestAcceptance } from "./request-acceptance.ts";
import { sglangRequest } from "./sglang.ts";
import { trtllmRequest } from "./trtllm.ts";
import { vllmRequest } from "./vllm.ts";

/**
 * What a response (or the last chunk of its stream) tells of its own drafts, whichever engine's fields it carries:
 *
 * - vLLM, `metrics.speculative_decoding`: D, A, V, K, and A_i from the histogram of accepted tokens per step;
 * - llama.cpp, `timings`: D and A; ik_llama.cpp adds A_i, mlx-vlm adds V;
 * - SGLang, `meta_info` of every era: A, V, and D since the end of 2025;
 * - TensorRT-LLM, `avg_decoded_tokens_per_iter`: tokens per step only; records of `/perf_metrics`: D and A.
 *
 * Null when it carries none of them, or numbers that are no counts.
 */
export function readRequestAcceptance(json: unknown): RequestAcceptance | null {
  return vllmRequest(json) ?? llamaCppRequest(json) ?? sglangRequest(json) ?? trtllmRequest(json);
}

/** The plain counts of {@link readRequestAcceptance}; null when drafted or accepted tokens are not told. */
export function acceptanceFromResponse(json: unknown): SpecDecodeCounts | null {
  const told = readRequestAcceptance(json);
  if (told === null || told.draftTokens === null || told.acceptedTokens === null) return null;
  return {
    verifySteps: told.verifySteps,
    draftTokens: told.draftTokens,
    acceptedTokens: told.acceptedTokens,
    acceptedPerPosition: told.acceptedPerPosition,
  };
}
