// Output tokens per second of the llama adapter, in process, beside a llama-server that the reader has installed: same
// GGUF, same threads, same prompts, EOS ignored, greedy, prompts not cached. Both run in turns, several times, so that a
// machine that is busy for a while slows both; the table shows medians and their ratio.
//
//   node bench/beside-llama-server.mjs --llama-server PATH --model FILE [--draft FILE] [--draft-tokens 5]
//     [--streams 1,8] [--threads 1] [--tokens 128] [--rounds 5]
//
// Needs a build of this package (dist/).
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { loadLlamaEngine } from "../dist/index.js";

const { values } = parseArgs({
  options: {
    "llama-server": { type: "string" },
    model: { type: "string" },
    draft: { type: "string" },
    "draft-tokens": { type: "string", default: "5" },
    streams: { type: "string", default: "1,8" },
    threads: { type: "string", default: "1" },
    tokens: { type: "string", default: "128" },
    rounds: { type: "string", default: "5" },
  },
});
if (values["llama-server"] === undefined || values.model === undefined) {
  console.error("give --llama-server PATH and --model FILE");
  process.exit(2);
}
const threads = Number(values.threads);
const maxTokens = Number(values.tokens);
const rounds = Number(values.rounds);
const CONTEXT = 1024;

const promptOf = (round, stream) =>
  `Question ${round * 100 + stream}: tell a short story about a sailor, a harbour and number ${stream + 7}. Answer:`;

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function startServer(streams, draft) {
  const port = await freePort();
  const args = ["-m", values.model, "-t", `${threads}`, "-tb", `${threads}`, "-np", `${streams}`];
  args.push("-c", `${CONTEXT * streams}`, "--port", `${port}`, "--no-webui");
  if (draft !== undefined) {
    args.push("-md", draft, "--spec-type", "draft-simple", "--spec-draft-n-max", values["draft-tokens"]);
    args.push("--spec-draft-threads", `${threads}`, "--spec-draft-threads-batch", `${threads}`);
  }
  const server = spawn(values["llama-server"], args, { stdio: "ignore" });
  const base = `http://127.0.0.1:${port}`;
  for (let attempt = 0; attempt < 300; attempt++) {
    if (server.exitCode !== null || server.signalCode !== null)
      throw new Error("llama-server ended at its start");
    const ready = await fetch(`${base}/health`).then(
      (answer) => answer.ok,
      () => false,
    );
    if (ready) break;
    await sleep(100);
  }
  const generate = async (prompt) => {
    const body = { prompt, n_predict: maxTokens, ignore_eos: true, temperature: 0, cache_prompt: false };
    const answer = await fetch(`${base}/completion`, { method: "POST", body: JSON.stringify(body) });
    const { tokens_predicted: tokens, timings } = await answer.json();
    return { tokens, drafted: timings.draft_n ?? 0, accepted: timings.draft_n_accepted ?? 0 };
  };
  return {
    generate,
    end: async () => {
      server.kill("SIGTERM");
      await new Promise((resolve) => server.once("exit", resolve));
    },
  };
}

async function startEngine(streams, draftModelPath, draftLength) {
  const engine = await loadLlamaEngine({
    modelPath: values.model,
    slots: streams,
    threads,
    contextSize: CONTEXT,
    ...(draftModelPath === undefined
      ? {}
      : { draftModelPath, draftTokens: Number(values["draft-tokens"]), draftLength }),
  });
  const generate = async (prompt) => {
    let tokens = 0;
    let speculation = null;
    const request = { prompt: engine.tokenize(prompt, { addSpecial: true }), maxTokens, ignoreEos: true };
    for await (const batch of engine.generate({ ...request, cachePrompt: false })) {
      tokens += batch.tokenIds.length;
      speculation = batch.finish?.speculation ?? null;
    }
    return { tokens, drafted: speculation?.draftTokens ?? 0, accepted: speculation?.acceptedTokens ?? 0 };
  };
  return { generate, end: () => engine.dispose() };
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

async function measure(subjects, streams) {
  const rates = subjects.map(() => []);
  const counts = subjects.map(() => ({ drafted: 0, accepted: 0 }));
  for (let round = -1; round < rounds; round++) {
    for (const [index, { generate }] of subjects.entries()) {
      const start = performance.now();
      const done = await Promise.all(
        Array.from({ length: streams }, (_, stream) => generate(promptOf(round + 1, stream))),
      );
      const seconds = (performance.now() - start) / 1000;
      // the first round warms up
      if (round < 0) continue;
      rates[index].push(done.reduce((sum, { tokens }) => sum + tokens, 0) / seconds);
      for (const { drafted, accepted } of done) {
        counts[index].drafted += drafted;
        counts[index].accepted += accepted;
      }
    }
  }
  return rates.map((list, index) => ({ rate: median(list), ...counts[index] }));
}

console.log(
  "| streams | draft | adapter tok/s | llama-server tok/s | ratio | acceptance (adapter / llama-server) |",
);
console.log("| --- | --- | --- | --- | --- | --- |");
const share = ({ drafted, accepted }) =>
  drafted === 0 ? "–" : `${((100 * accepted) / drafted).toFixed(1)} %`;
const speedups = [];
for (const streams of values.streams.split(",").map(Number)) {
  const rows = [{ name: "none" }];
  if (values.draft !== undefined) {
    rows.push({ name: `K = ${values["draft-tokens"]}`, draft: values.draft, length: "fixed" });
    rows.push({ name: `K <= ${values["draft-tokens"]}, adaptive`, draft: values.draft, length: "adaptive" });
  }
  const plain = {};
  for (const { name, draft, length } of rows) {
    const subjects = [await startEngine(streams, draft, length), await startServer(streams, draft)];
    const [adapter, server] = await measure(subjects, streams);
    for (const { end } of subjects) await end();
    console.log(
      `| ${streams} | ${name} | ${adapter.rate.toFixed(0)} | ${server.rate.toFixed(0)} | ` +
        `${(adapter.rate / server.rate).toFixed(2)} | ${share(adapter)} / ${share(server)} |`,
    );
    if (draft === undefined) Object.assign(plain, { adapter: adapter.rate, server: server.rate });
    else {
      speedups.push(
        `${streams} streams, ${name}: draft speeds the adapter up ${(adapter.rate / plain.adapter).toFixed(2)} times, ` +
          `llama-server ${(server.rate / plain.server).toFixed(2)} times`,
      );
    }
  }
}
for (const line of speedups) console.log(line);
