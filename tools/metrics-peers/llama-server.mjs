// Starts a real llama-server, and sets acceptance from its metrics page against the timings of its answers. Exit code 1 when
// they differ by more than the page's six digits.
import path from "node:path";
import { fileURLToPath } from "node:url";
import { compare, flags, freePort, startServer } from "./lib.mjs";

const models = fileURLToPath(new URL("../../packages/demo-model/models/", import.meta.url));
const given = flags({
  server: "llama-server",
  // Of the build, which does not always know its own.
  version: "unknown",
  model: path.join(models, "target-q8_0.gguf"),
  // "none" drafts from the text itself.
  draft: path.join(models, "draft-q8_0.gguf"),
  "draft-tokens": "5",
  requests: "60",
  concurrency: "2",
  "max-tokens": "64",
  name: "llama-cpp",
  capture: "none",
});

const speculation =
  given.draft === "none"
    ? [
        "--spec-type",
        "ngram-simple",
        "--spec-ngram-simple-size-n",
        "3",
        "--spec-ngram-simple-size-m",
        given["draft-tokens"],
      ]
    : ["-md", given.draft, "--spec-type", "draft-simple", "--spec-draft-n-max", given["draft-tokens"]];
const port = await freePort();
// Repacked weights use AMX where the processor names it, which not every virtual machine lets a process do.
const common = ["-c", "4096", "-np", given.concurrency, "-t", "1", "--no-repack", "--metrics"];
const args = ["-m", given.model, ...speculation, ...common, "--host", "127.0.0.1", "--port", String(port)];
const server = await startServer(given.name, given.server, args, { port, readyWithinMs: 120_000 });
try {
  const agrees = await compare({
    name: given.name,
    version: given.version,
    command: ["llama-server", ...args.map((arg) => path.basename(arg))].join(" ").replace(/ --port \d+/, ""),
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
