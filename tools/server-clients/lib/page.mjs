// What the server's metrics page counted between two looks.
import { parseExposition } from "../../../packages/metrics-client/dist/index.js";

const SERIES = {
  requests: "vllm:request_success_total",
  promptTokens: "vllm:prompt_tokens_total",
  outputTokens: "vllm:generation_tokens_total",
  verifySteps: "vllm:spec_decode_num_drafts_total",
  draftTokens: "vllm:spec_decode_num_draft_tokens_total",
  acceptedTokens: "vllm:spec_decode_num_accepted_tokens_total",
  firstTokenSeconds: "vllm:time_to_first_token_seconds_sum",
  firstTokens: "vllm:time_to_first_token_seconds_count",
  perTokenSeconds: "vllm:request_time_per_output_token_seconds_sum",
  perTokens: "vllm:request_time_per_output_token_seconds_count",
  endToEndSeconds: "vllm:e2e_request_latency_seconds_sum",
};

/** The series above, each summed over its labels. */
export async function readPage(url) {
  const samples = parseExposition(await (await fetch(`${url}/metrics`)).text());
  const sum = (name) =>
    samples.filter((sample) => sample.name === name).reduce((total, { value }) => total + value, 0);
  return Object.fromEntries(Object.entries(SERIES).map(([key, name]) => [key, sum(name)]));
}

export function difference(before, after) {
  return Object.fromEntries(Object.keys(after).map((key) => [key, after[key] - before[key]]));
}

/**
 * The figures that clients report, from the server's side. Output tokens per second are those of a closed loop that never
 * idles: with N requests in flight, N tokens come in the time that one takes.
 */
export function told(counted, concurrency) {
  const { requests, promptTokens, outputTokens, verifySteps, draftTokens, acceptedTokens } = counted;
  return {
    requests,
    promptTokens,
    outputTokens,
    ttftMs: (1000 * counted.firstTokenSeconds) / counted.firstTokens,
    tpotMs: (1000 * counted.perTokenSeconds) / counted.perTokens,
    outputTokensPerS: (outputTokens * concurrency) / counted.endToEndSeconds,
    verifySteps,
    draftTokens,
    acceptedTokens,
    acceptanceLength: 1 + acceptedTokens / verifySteps,
  };
}
