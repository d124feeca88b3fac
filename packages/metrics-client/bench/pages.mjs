// Pages as vLLM writes them, as long as wanted.

const LATENCY_BOUNDS = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80,
];
const HISTOGRAMS = [
  "time_to_first_token_seconds",
  "inter_token_latency_seconds",
  "e2e_request_latency_seconds",
];
const COUNTERS = [
  "prompt_tokens",
  "generation_tokens",
  "spec_decode_num_drafts",
  "spec_decode_num_draft_tokens",
];

/** The families of one model with so many engines, from a seed on. */
export function modelPage(model, engines, seed = 1) {
  const lines = [];
  let state = seed;
  const next = (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
  for (const name of COUNTERS) {
    lines.push(`# HELP vllm:${name}_total Number of ${name}.`, `# TYPE vllm:${name}_total counter`);
    for (let engine = 0; engine < engines; engine++) {
      lines.push(`vllm:${name}_total{engine="${engine}",model_name="${model}"} ${next(1e9)}.0`);
    }
  }
  for (const name of HISTOGRAMS) {
    lines.push(`# HELP vllm:${name} Histogram of ${name}.`, `# TYPE vllm:${name} histogram`);
    for (let engine = 0; engine < engines; engine++) {
      let count = 0;
      for (const bound of LATENCY_BOUNDS) {
        count += next(1000);
        lines.push(`vllm:${name}_bucket{engine="${engine}",le="${bound}",model_name="${model}"} ${count}.0`);
      }
      lines.push(
        `vllm:${name}_bucket{engine="${engine}",le="+Inf",model_name="${model}"} ${count}.0`,
        `vllm:${name}_count{engine="${engine}",model_name="${model}"} ${count}.0`,
        `vllm:${name}_sum{engine="${engine}",model_name="${model}"} ${count / 3}`,
      );
    }
  }
  return `${lines.join("\n")}\n`;
}

/** One page of about so many bytes. */
export function pageOf(bytes) {
  const perEngine = modelPage("Qwen/Qwen3-8B", 101).length - modelPage("Qwen/Qwen3-8B", 1).length;
  return modelPage("Qwen/Qwen3-8B", Math.max(1, Math.round(bytes / (perEngine / 100))));
}
