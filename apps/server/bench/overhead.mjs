// What HTTP costs: output tokens per second of onpar-server, streamed, beside the same engine in process, in turns within one
// run; and how many tokens per second the server writes as events when the engine is no limit.
//
//   node bench/overhead.mjs [--streams 1,8,32] [--rounds 7] [--tokens 256]
//
// Needs a build (dist/). The server, the engine in process and the client are processes of their own.
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { demoModel } from "@onpar/demo-model";
import { loadLlamaEngine } from "@onpar/engine-binding";
import { startProgram, startServer } from "./server-process.mjs";

const { values } = parseArgs({
  options: {
    streams: { type: "string", default: "1,8,32" },
    rounds: { type: "string", default: "7" },
    tokens: { type: "string", default: "256" },
  },
});
const rounds = Number(values.rounds);
const maxTokens = Number(values.tokens);
const here = (file) => fileURLToPath(new URL(file, import.meta.url));
const CONTEXT = 512;
const LEAST_RATIO = 0.95;
const LEAST_WRITTEN = 40_000;

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const promptOf = (index) => `On day ${index} the river rose and the ${index % 7} boats of the village`;

const client = fork(here("http-client.mjs"));
const request = (port, bodies) =>
  new Promise((resolve, reject) => {
    const ended = (code) => reject(new Error(`the client ended with ${code}`));
    client.once("exit", ended);
    client.once("message", (answer) => {
      client.off("exit", ended);
      resolve(answer);
    });
    client.send({ port, bodies });
  });

async function inProcess(engine, streams, first) {
  const started = performance.now();
  const counts = await Promise.all(
    Array.from({ length: streams }, async (_, stream) => {
      const prompt = engine.tokenize(promptOf(first + stream), { addSpecial: true });
      let tokens = 0;
      for await (const batch of engine.generate({ prompt, maxTokens, ignoreEos: true }))
        tokens += batch.tokenIds.length;
      return tokens;
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0) / ((performance.now() - started) / 1000);
}

async function overHttp(port, streams, first) {
  const bodies = Array.from({ length: streams }, (_, stream) =>
    JSON.stringify({
      prompt: promptOf(first + stream),
      max_tokens: maxTokens,
      ignore_eos: true,
      temperature: 0,
      stream: true,
      stream_options: { include_usage: true },
    }),
  );
  const { seconds, tokens } = await request(port, bodies);
  return tokens / seconds;
}

console.log(`${rounds} rounds, ${maxTokens} tokens each, load ${loadavg()[0].toFixed(1)} at the start\n`);
console.log(
  "| streams | drafting | in process, tok/s | over HTTP, tok/s | ratio |\n| --- | --- | --- | --- | --- |",
);
const verdicts = [];
for (const streams of values.streams.split(",").map(Number)) {
  for (const drafts of [true, false]) {
    const server = await startServer([
      `--slots=${streams}`,
      `--ctx=${CONTEXT}`,
      "--threads=1",
      ...(drafts ? [] : ["--no-draft"]),
    ]);
    const engine = await loadLlamaEngine({
      modelPath: demoModel.target.path,
      ...(drafts ? { draftModelPath: demoModel.draft.path, draftTokens: 5 } : {}),
      slots: streams,
      threads: 1,
      contextSize: CONTEXT,
    });
    const rates = { engine: [], http: [] };
    for (let round = -1; round < rounds; round++) {
      const first = (round + 1) * streams;
      // each has the first turn in every second round; the round before the first warms up
      const turns = [
        async () => rates.engine.push(await inProcess(engine, streams, first)),
        async () => rates.http.push(await overHttp(server.port, streams, first)),
      ];
      for (const turn of round % 2 === 0 ? turns : turns.toReversed()) await turn();
    }
    for (const list of Object.values(rates)) list.shift();
    const ratio = median(rates.http.map((rate, round) => rate / rates.engine[round]));
    const cells = [
      streams,
      drafts ? "K = 5" : "none",
      median(rates.engine).toFixed(0),
      median(rates.http).toFixed(0),
    ];
    console.log(`| ${cells.join(" | ")} | ${ratio.toFixed(2)} |`);
    const kept = ratio >= LEAST_RATIO ? "PASS" : "MISS";
    verdicts.push(
      `${kept}: ${streams} streams, ${drafts ? "K = 5" : "no draft"}: ${ratio.toFixed(3)}, at least ${LEAST_RATIO}`,
    );
    await engine.dispose();
    await server.stop();
  }
}

const fast = await startProgram([here("fast-server.mjs")]);
for (const streams of [1, 8, 32]) {
  const perStream = Math.round(64_000 / streams);
  const body = JSON.stringify({
    prompt: "x",
    max_tokens: perStream,
    stream: true,
    stream_options: { include_usage: true },
  });
  const rates = [];
  for (let round = -1; round < rounds; round++) {
    const { seconds, events } = await request(
      fast.port,
      Array.from({ length: streams }, () => body),
    );
    if (round >= 0) rates.push(events / seconds);
  }
  const rate = median(rates);
  const kept = rate >= LEAST_WRITTEN ? "PASS" : "MISS";
  verdicts.push(
    `${kept}: written to ${streams} streams: ${rate.toFixed(0)} tokens/s, at least ${LEAST_WRITTEN}`,
  );
}
await fast.stop();
client.disconnect();
console.log(`\n${verdicts.join("\n")}\nload ${loadavg()[0].toFixed(1)} at the end`);
