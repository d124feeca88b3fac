import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import { ClientFailed, must } from "../lib/environments.mjs";
import { TEMPLATE } from "../lib/prompts.mjs";

const PROMPT_TOKENS = 128;

/** It downloads the text that it cuts prompts from: here from this process. */
async function serveBook(file) {
  const book = readFileSync(file);
  const server = createServer((_request, response) => response.end(book));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}/book.txt`, close: () => server.close() };
}

export const llamaBenchy = {
  name: "llama-benchy",
  packages: ["llama-benchy"],
  async run({ url, model, tokenizer, prompts, requests, outputLength, concurrency, work, environment }) {
    const result = path.join(work, "result.json");
    const book = await serveBook(prompts.book);
    try {
      await must(
        path.join(environment.bin, "llama-benchy"),
        [
          `--base-url=${url}/v1`,
          `--model=${model}`,
          `--tokenizer=${tokenizer}`,
          `--book-url=${book.url}`,
          `--pp=${PROMPT_TOKENS}`,
          `--tg=${outputLength}`,
          "--exact-tg",
          `--runs=${Math.floor(requests / concurrency)}`,
          `--concurrency=${concurrency}`,
          `--extra-body=temperature=0,chat_template_kwargs=${JSON.stringify(TEMPLATE)}`,
          // Its own requests before the measured ones would be counted by the server as well.
          "--no-warmup",
          "--no-adapt-prompt",
          "--skip-coherence",
          `--save-result=${result}`,
          "--format=json",
        ],
        { env: { HF_HUB_OFFLINE: "1", HOME: work } },
      );
    } finally {
      book.close();
    }
    const [benchmark] = JSON.parse(readFileSync(result, "utf8")).benchmarks;
    if (benchmark === undefined) throw new ClientFailed("it reports no benchmark");
    const rates = benchmark.tg_req_throughput.values;
    return {
      requests: rates.length,
      outputTokens: rates.length * benchmark.response_size,
      ttftMs: benchmark.e2e_ttft.mean,
      // A rate from the first token to the last: its reciprocal is the time per token after the first.
      tpotMs: rates.reduce((sum, rate) => sum + 1000 / rate, 0) / rates.length,
    };
  },
};
