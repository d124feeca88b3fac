// npm run demo: serves the bundled model pair, benches the same prompts with EOS honoured and with EOS ignored, and
// prints both reports and their difference. Results stay in .onpar/demo/.
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { prepare } from "./lib/prepare.mjs";
import { main, root, run } from "./lib/run.mjs";

const draftBudget = 5;
const concurrency = 2;
const prompts = 64;
// Long enough for nine answers in ten to reach their own end, short enough for the forced ones to be done in time.
const outputCap = 256;

await main(async () => {
  await prepare();
  const { demoModel } = await import("@onpar/demo-model");
  const { renderDifference } = await import("@onpar/bench-report");

  const folder = path.join(root, ".onpar", "demo", new Date().toISOString().replaceAll(":", "-"));
  mkdirSync(folder, { recursive: true });

  heading(`Serving the bundled pair, draft budget ${draftBudget}`);
  const server = await startServer();
  try {
    const bench = (name, rule) =>
      runBench(folder, name, [
        `--base-url=${server.url}`,
        "--endpoint=chat-completions",
        "--no-enable-thinking",
        `--dataset-path=${demoModel.promptsPath}`,
        `--num-prompts=${prompts}`,
        `--output-len=${outputCap}`,
        `--concurrency=${concurrency}`,
        rule,
      ]);
    heading("1 of 2: EOS honoured");
    const honoured = await bench("eos-honoured", "--no-ignore-eos");
    heading("2 of 2: EOS ignored, the same prompts");
    const ignored = await bench("eos-ignored", "--ignore-eos");
    heading("The two runs side by side");
    console.log(renderDifference(honoured, ignored, { width: process.stdout.columns ?? 100 }));
    console.log(`\nResults and records: ${path.relative(process.cwd(), folder)}`);
  } finally {
    await server.stop();
  }
});

function heading(text) {
  console.log(`\n=== ${text}\n`);
}

async function runBench(folder, name, flags) {
  const resultFile = path.join(folder, `${name}.json`);
  await run(process.execPath, [
    path.join(root, "apps", "bench", "bin", "onpar.js"),
    "run",
    ...flags,
    `--output=${path.join(folder, `${name}.jsonl`)}`,
    `--output-json=${resultFile}`,
  ]);
  return JSON.parse(readFileSync(resultFile, "utf8"));
}

/** Starts onpar-server on a free port and resolves when it says that it is ready. */
async function startServer() {
  const child = spawn(
    process.execPath,
    [
      path.join(root, "apps", "server", "bin", "onpar-server.js"),
      "--port=0",
      `--slots=${concurrency}`,
      `--draft-tokens=${draftBudget}`,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const url = await new Promise((resolve, reject) => {
    const lines = createInterface({ input: child.stdout });
    lines.on("line", (line) => {
      console.log(line);
      const ready = /ready on (http:\/\/\S+)/.exec(line);
      if (ready !== null) resolve(ready[1]);
    });
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`onpar-server ended with ${code} before it was ready`)));
  });
  return {
    url,
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
