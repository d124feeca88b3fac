// The command line of this workspace.
import path from "node:path";
import { root } from "../../lib/run.mjs";
import { ClientFailed, must } from "../lib/environments.mjs";

export const onpar = {
  name: "onpar",
  async run({ url, prompts, requests, outputLength, concurrency }) {
    const output = await must(process.execPath, [
      path.join(root, "apps", "bench", "bin", "onpar.js"),
      "run",
      `--base-url=${url}`,
      "--endpoint=chat-completions",
      "--ignore-eos",
      "--no-enable-thinking",
      `--dataset-path=${prompts.onpar}`,
      `--num-prompts=${requests}`,
      `--output-len=${outputLength}`,
      `--concurrency=${concurrency}`,
      "--warmup=0",
      "--quiet",
      "--json",
    ]);
    const { summary } = JSON.parse(output);
    if (summary.counts.ok !== requests)
      throw new ClientFailed(`${summary.counts.ok} of ${requests} ended well`);
    const { acceptance, latency, outputs, promptTokens } = summary;
    return {
      requests: summary.counts.ok,
      promptTokens: Math.round(promptTokens.mean * promptTokens.n),
      outputTokens: Math.round(outputs.lengths.mean * outputs.lengths.n),
      ttftMs: latency.ttftMs.mean,
      tpotMs: latency.tpotMs.mean,
      outputTokensPerS: summary.rates.outputTokensPerS,
      verifySteps: acceptance.verifySteps,
      draftTokens: acceptance.draftTokens,
      acceptedTokens: acceptance.acceptedTokens,
      acceptanceLength: acceptance.meanAcceptanceLength,
    };
  },
};
