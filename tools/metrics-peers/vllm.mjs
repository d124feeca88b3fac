// Starts a real vLLM with n-gram speculation, and sets acceptance from its metrics page against what its answers tell of
// themselves. Exit code 1 when they differ.
import path from "node:path";
import { compare, flags, freePort, startServer } from "./lib.mjs";

const given = flags({
  vllm: "vllm",
  version: "unknown",
  // A folder as Hugging Face lays it out.
  model: "",
  "draft-tokens": "4",
  requests: "40",
  concurrency: "2",
  "max-tokens": "64",
  capture: "none",
});
if (given.model === "") throw new Error("--model needs a model folder");

const speculation = {
  method: "ngram",
  num_speculative_tokens: Number(given["draft-tokens"]),
  prompt_lookup_max: 3,
  prompt_lookup_min: 1,
};
const port = await freePort();
const args = [
  "serve",
  given.model,
  "--served-model-name=demo",
  "--host=127.0.0.1",
  `--port=${port}`,
  "--max-model-len=1024",
  "--dtype=float32",
  "--enforce-eager",
  "--max-num-seqs=4",
  "--per-request-spec-decode-metrics=summary",
  "--enable-per-request-metrics",
  `--speculative-config=${JSON.stringify(speculation)}`,
];
const env = { VLLM_CPU_KVCACHE_SPACE: "1", HF_HUB_OFFLINE: "1", VLLM_NO_USAGE_STATS: "1", DO_NOT_TRACK: "1" };
const server = await startServer("vllm", given.vllm, args, { port, readyWithinMs: 400_000, env });
try {
  const agrees = await compare({
    name: "vllm",
    version: given.version,
    command: ["vllm", ...args.map((arg) => (arg === given.model ? path.basename(arg) : arg))]
      .join(" ")
      .replace(/ --port=\d+/, ""),
    url: server.url,
    model: "demo",
    load: {
      requests: Number(given.requests),
      concurrency: Number(given.concurrency),
      maxTokens: Number(given["max-tokens"]),
      temperature: 0,
    },
    capture: given.capture === "none" ? null : path.resolve(given.capture),
  });
  process.exitCode = agrees ? 0 : 1;
} finally {
  await server.stop();
}
