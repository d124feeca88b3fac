// Many requests with random cancellations over an addon and a library given by path: what run.mjs runs under a sanitizer.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { isMainThread, Worker, workerData } from "node:worker_threads";

const setup = isMainThread
  ? { addon: process.argv[2], library: process.argv[3], total: Number(process.argv[4]), seed: 7, main: true }
  : workerData;
const CONCURRENCY = 48;

/** A small generator, so that a run can be repeated. */
function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = randomOf(setup.seed);
const upTo = (limit) => Math.floor(random() * limit);

function startRequest(engine, id) {
  const kind = random();
  const script = `us=${upTo(3) * 100} tokens=${upTo(80)}`;
  if (kind < 0.65) {
    const fault = random();
    const extra =
      fault < 0.03
        ? " refuse=1"
        : fault < 0.08
          ? ` fail=${upTo(20)}`
          : fault < 0.12
            ? " stall=3"
            : fault < 0.16
              ? " bad=1"
              : "";
    engine.submit(id, `request ${id} @{${script}${extra}}`, {
      maxTokens: 1 + upTo(100),
      ...(random() < 0.3 ? { stop: ["oak", "dune elm"] } : {}),
      ...(random() < 0.3 ? { temperature: 0.8, seed: BigInt(id) } : {}),
      ...(random() < 0.1 ? { jsonSchema: "{}" } : {}),
    });
    return extra === " stall=3";
  }
  if (kind < 0.85) engine.chat(id, JSON.stringify({ messages: [`${id} @{${script}}`], max_tokens: 40 }));
  else
    engine.complete(
      id,
      Int32Array.from({ length: 1 + upTo(30) }, () => upTo(1000)),
      { maxTokens: 1 + upTo(60) },
    );
  return false;
}

/** Runs `total` requests on one engine and resolves when it is closed. */
function runRequests(library, model, total) {
  return new Promise((resolve) => {
    const counts = { started: 0, ended: 0, cancelled: 0, failed: 0, deltas: 0, units: 0 };
    const startNext = () => {
      const id = ++counts.started;
      const mustCancel = startRequest(engine, id);
      if (mustCancel || random() < 0.35) setTimeout(() => engine.cancel(id), upTo(12));
    };
    const engine = library.load(
      { model_path: model, max_num_seqs: 16, speculative_config: '{"num_speculative_tokens":4}' },
      (text, requests, lengths, times, endings, notices) => {
        counts.deltas += requests.length;
        counts.units += text.length;
        for (const ending of endings) {
          counts.ended += 1;
          if (ending.cancelled) counts.cancelled += 1;
          if (ending.status !== 0) counts.failed += 1;
          if (counts.started < total) startNext();
          else if (counts.ended === total) engine.close();
        }
        for (const { kind } of notices) {
          if (kind === "loaded") for (let i = 0; i < Math.min(CONCURRENCY, total); i++) startNext();
          if (kind === "closed") resolve(counts);
        }
        engine.acceptance();
      },
    );
  });
}

const library = createRequire(import.meta.url)(setup.addon).open(setup.library);
const model = mkdtempSync(path.join(tmpdir(), "onpar-soak-"));
writeFileSync(path.join(model, "test-engine.txt"), "test-engine\naccept=2,0,3,1\n");
if (setup.main) {
  const counts = await runRequests(library, model, setup.total);
  // Threads that are ended in the middle, and an engine that is dropped.
  for (let round = 0; round < 10; round++) {
    const worker = new Worker(fileURLToPath(import.meta.url), {
      workerData: { ...setup, main: false, seed: round },
    });
    await new Promise((resolve) => setTimeout(resolve, 300 + round * 20));
    await worker.terminate();
  }
  console.log(JSON.stringify(counts));
  if (counts.ended !== setup.total) process.exitCode = 1;
} else {
  await runRequests(library, model, 1_000_000);
}
rmSync(model, { recursive: true, force: true });
