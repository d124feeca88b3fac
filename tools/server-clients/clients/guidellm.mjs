import { readFileSync } from "node:fs";
import path from "node:path";
import { must } from "../lib/environments.mjs";
import { TEMPLATE } from "../lib/prompts.mjs";

export const guidellm = {
  name: "guidellm",
  packages: ["guidellm"],
  async run({ url, model, tokenizer, prompts, requests, concurrency, work, environment }) {
    const result = path.join(work, "result.json");
    const body = { temperature: 0, chat_template_kwargs: TEMPLATE };
    const backend = { kind: "openai_http", target: url, model, extras: { body } };
    await must(
      path.join(environment.bin, "guidellm"),
      [
        "run",
        `--backend=${JSON.stringify(backend)}`,
        `--profile=kind=concurrent,streams=${concurrency}`,
        `--constraint=kind=max_requests,count=${requests}`,
        `--tokenizer=kind=hf_auto,model=${tokenizer}`,
        `--data=kind=json_file,path=${prompts.guidellm}`,
        `--output=kind=json,path=${result}`,
        "--disable-console",
      ],
      { env: { HF_HUB_OFFLINE: "1", HOME: work } },
    );
    const [benchmark] = JSON.parse(readFileSync(result, "utf8")).benchmarks;
    const { metrics } = benchmark;
    const of = (name) => metrics[name].successful;
    return {
      requests: metrics.request_totals.successful,
      promptTokens: of("prompt_token_count").total_sum,
      outputTokens: of("output_token_count").total_sum,
      ttftMs: of("time_to_first_token_ms").mean,
      // Its "TPOT" contains the time to the first token; its "ITL" is what everybody else calls TPOT.
      tpotMs: of("inter_token_latency_ms").mean,
      outputTokensPerS: of("output_token_count").total_sum / benchmark.duration,
    };
  },
};
