// node packages/engine-binding/bench/per-token.mjs: what a token costs on the JavaScript thread between the addon and
// whoever reads the stream, at a rate that the test engine keeps by its timetable. Needs a build (npm run setup).
import { readFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { loadAddon } from "@onpar/vllm-addon";
import { loadVllmEngine } from "../dist/index.js";

const STREAMS = 100;
const STEP_US = 1000;
const STEPS = Number(process.argv[2] ?? 3000);
const library = fileURLToPath(
  new URL(`../../../native/build/abi30-${process.platform}-${process.arch}/libvllm.so`, import.meta.url),
);
const model = mkdtempSync(path.join(tmpdir(), "onpar-per-token-"));
writeFileSync(path.join(model, "test-engine.txt"), "test-engine\n");

/** CPU time of this thread, ns: other work on the machine does not add to it. */
const cpuNs = () => Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ")[0]);

async function measure(name, run) {
  const [cpu, wall] = [cpuNs(), performance.now()];
  const { tokens, wakes } = await run();
  const seconds = (performance.now() - wall) / 1e3;
  const cost = (cpuNs() - cpu) / tokens / 1e3;
  console.log(
    `${name}: ${tokens} tokens in ${seconds.toFixed(2)} s (${Math.round(tokens / seconds)} tokens/s), ` +
      `${cost.toFixed(2)} µs of the JavaScript thread per token${wakes === null ? "" : `, ${(tokens / wakes).toFixed(1)} tokens per call`}`,
  );
}

const prompt = (index) => `stream ${index} @{us=${STEP_US} tokens=1000000}`;

async function throughAddon() {
  const native = loadAddon().open(library);
  let tokens = 0;
  let wakes = 0;
  let ended = 0;
  await new Promise((resolve) => {
    const engine = native.load(
      { model_path: model, max_num_seqs: STREAMS },
      (text, requests, lengths, times, endings, notices) => {
        wakes += 1;
        tokens += requests.length;
        ended += endings.length;
        if (ended === STREAMS && endings.length > 0) engine.close();
        for (const { kind } of notices) {
          if (kind === "closed") resolve();
          if (kind === "loaded")
            for (let id = 0; id < STREAMS; id++) engine.submit(id, prompt(id), { maxTokens: STEPS });
        }
      },
    );
  });
  return { tokens, wakes };
}

async function throughEngine() {
  const engine = await loadVllmEngine({ libraryPath: library, modelPath: model, maxNumSeqs: STREAMS });
  const counts = await Promise.all(
    Array.from({ length: STREAMS }, async (_, index) => {
      let count = 0;
      for await (const batch of engine.generate({ prompt: prompt(index), maxTokens: STEPS })) {
        if (batch.text !== "") count += 1;
      }
      return count;
    }),
  );
  await engine.dispose();
  return { tokens: counts.reduce((sum, count) => sum + count, 0), wakes: null };
}

for (let round = 0; round < 2; round++) {
  await measure("addon alone", throughAddon);
  await measure("through Engine.generate", throughEngine);
}
rmSync(model, { recursive: true, force: true });
