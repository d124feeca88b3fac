import { readFileSync } from "node:fs";
import path from "node:path";
import { must } from "../lib/environments.mjs";
import { TEMPLATE } from "../lib/prompts.mjs";

export const aiperf = {
  name: "aiperf",
  packages: ["aiperf"],
  async run({ url, model, tokenizer, prompts, requests, concurrency, work, environment }) {
    await must(
      path.join(environment.bin, "aiperf"),
      [
        "profile",
        `--model-names=${model}`,
        "--endpoint-type=chat",
        "--streaming",
        `--url=${url}`,
        `--tokenizer=${tokenizer}`,
        `--input-file=${prompts.aiperf}`,
        "--custom-dataset-type=single_turn",
        "--dataset-sampling-strategy=sequential",
        `--request-count=${requests}`,
        `--concurrency=${concurrency}`,
        `--extra-inputs=${JSON.stringify({ ignore_eos: true, temperature: 0, chat_template_kwargs: TEMPLATE })}`,
        // Tokens past an EOS that is ignored show as no text: only the server can count them.
        "--use-server-token-count",
        "--ui-type=none",
        `--output-artifact-dir=${work}`,
      ],
      { env: { HOME: work } },
    );
    const result = JSON.parse(readFileSync(path.join(work, "profile_export_aiperf.json"), "utf8"));
    const of = (name) => result[name]?.avg ?? null;
    return {
      requests: of("request_count"),
      promptTokens: of("total_usage_prompt_tokens"),
      outputTokens: of("total_usage_completion_tokens"),
      ttftMs: of("time_to_first_token"),
      tpotMs: of("inter_token_latency"),
      outputTokensPerS: of("output_token_throughput"),
      verifySteps: of("total_spec_decode_steps"),
      draftTokens: of("total_draft_tokens"),
      acceptedTokens: of("total_accepted_draft_tokens"),
      acceptanceLength: of("spec_decode_token_weighted_acceptance_length"),
    };
  },
};
