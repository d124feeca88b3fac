// Output tokens per second of the llama adapter, in process, beside a llama-server that the reader has installed: same
// GGUF, threads, prompts, slots and draft length, greedy, prompts not cached, EOS honoured by both. Everything runs in
// turns, several times, so that a machine that is busy for a while slows all; the table shows medians of the rates, of
// their ratios within a round, and of the speed-ups by drafting within a round.
//
//   node bench/beside-llama-server.mjs --llama-server PATH --model FILE [--draft FILE] [--draft-tokens 5]
//     [--forced-length] [--streams 1,8] [--threads 1] [--tokens 96] [--rounds 5] [--drafting none,ngram] [--answer-prefix TEXT]
//
// Outputs of the two may end at other tokens, and then rates over the whole time are those of other shares of prompt: the table says
// how long they were. --forced-length ignores EOS on both sides, which makes them equal, and is meant for runs without drafting.
// --drafting leaves some of none, draft, adaptive, ngram and "adaptive ngram" out. A model of 135M parameters is best run
// with --rounds 5 --tokens 48 --drafting none --forced-length.
// Prompts are in ChatML; --answer-prefix is what the answer begins with (for the bundled pair '<think>\n\n</think>\n\n',
// which is the default where a draft is given). Needs a build of this package (dist/).
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { availableParallelism, loadavg } from "node:os";
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
    tokens: { type: "string", default: "96" },
    rounds: { type: "string", default: "5" },
    drafting: { type: "string" },
    "forced-length": { type: "boolean", default: false },
    "answer-prefix": { type: "string" },
  },
});
if (values["llama-server"] === undefined || values.model === undefined) {
  console.error("give --llama-server PATH and --model FILE");
  process.exit(2);
}
const threads = Number(values.threads);
const maxTokens = Number(values.tokens);
const rounds = Number(values.rounds);
const budget = Number(values["draft-tokens"]);
const ignoreEos = values["forced-length"];
const CONTEXT = 1024;
const prefix =
  values["answer-prefix"]?.replaceAll("\\n", "\n") ??
  (values.draft === undefined ? "" : "<think>\n\n</think>\n\n");
const chat = (text) => `<|im_start|>user\n${text}<|im_end|>\n<|im_start|>assistant\n${prefix}`;

/** What is asked for: new text, or a text that stands in the prompt. Every prompt is another one. */
const WORKLOADS = {
  prose: (index) =>
    chat(`Write a long letter to a friend about ${index + 3} days at a harbour, a sailor and a storm.`),
  copy: (index) =>
    chat(
      `Repeat this text exactly:\nThe boat ${index} left the harbour of Kent at noon with ${index + 3} sailors and a ` +
        `dog named Fern. On the second day a storm came, and the captain wrote: "we lost ${index * 7} barrels".`,
    ),
};

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function startServer(streams, drafting) {
  const port = await freePort();
  const args = ["-m", values.model, "-t", `${threads}`, "-tb", `${threads}`, "-np", `${streams}`];
  args.push("-c", `${CONTEXT * streams}`, "--port", `${port}`, "--no-webui");
  if (drafting === "draft") {
    args.push("-md", values.draft, "--spec-type", "draft-simple", "--spec-draft-n-max", `${budget}`);
    args.push("--spec-draft-threads", `${threads}`, "--spec-draft-threads-batch", `${threads}`);
  }
  if (drafting === "ngram") {
    args.push("--spec-type", "ngram-simple", "--spec-ngram-simple-size-n", "4");
    args.push("--spec-ngram-simple-size-m", `${budget}`);
  }
  const server = spawn(values["llama-server"], args, { stdio: "ignore" });
  const base = `http://127.0.0.1:${port}`;
  for (let attempt = 0; attempt < 600; attempt++) {
    if (server.exitCode !== null || server.signalCode !== null)
      throw new Error("llama-server ended at its start");
    const ready = await fetch(`${base}/health`).then(
      (answer) => answer.ok,
      () => false,
    );
    if (ready) break;
    await sleep(100);
  }
  return {
    generate: async (prompt, tokens) => {
      const body = { prompt, n_predict: tokens, temperature: 0, cache_prompt: false, ignore_eos: ignoreEos };
      const answer = await fetch(`${base}/completion`, { method: "POST", body: JSON.stringify(body) });
      const { tokens_predicted: predicted, timings, content } = await answer.json();
      const { draft_n: drafted = 0, draft_n_accepted: accepted = 0 } = timings;
      return { tokens: predicted, text: content, drafted, accepted };
    },
    end: async () => {
      server.kill("SIGTERM");
      await new Promise((resolve) => server.once("exit", resolve));
    },
  };
}

const DRAFTING = {
  none: () => ({}),
  draft: () => ({ draftModelPath: values.draft, draftTokens: budget }),
  adaptive: () => ({ draftModelPath: values.draft, draftTokens: budget, draftLength: "adaptive" }),
  ngram: () => ({ promptLookup: true, draftTokens: budget }),
  "adaptive ngram": () => ({ promptLookup: true, draftTokens: budget, draftLength: "adaptive" }),
};

async function startEngine(streams, drafting) {
  const sizes = { slots: streams, threads, contextSize: CONTEXT };
  const engine = await loadLlamaEngine({ modelPath: values.model, ...sizes, ...DRAFTING[drafting]() });
  return {
    generate: async (prompt, most) => {
      let [tokens, text, speculation] = [0, "", null];
      const request = { prompt: engine.tokenize(prompt, { addSpecial: true }), maxTokens: most, ignoreEos };
      for await (const batch of engine.generate({ ...request, cachePrompt: false })) {
        tokens += batch.tokenIds.length;
        text += batch.text;
        speculation = batch.finish?.speculation ?? null;
      }
      const { draftTokens: drafted = 0, acceptedTokens: accepted = 0 } = speculation ?? {};
      return { tokens, text, drafted, accepted };
    },
    end: () => engine.dispose(),
  };
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const ratios = (of, to) => of.rates.map((rate, round) => rate / to.rates[round]);

/** Runs all subjects in turns on one workload. */
async function measure(subjects, promptOf, streams) {
  for (const subject of subjects)
    Object.assign(subject, { rates: [], tokens: 0, drafted: 0, accepted: 0, texts: [] });
  for (let round = -1; round < rounds; round++) {
    // every subject has its turn at another place in every round
    for (let turn = 0; turn < subjects.length; turn++) {
      const subject = subjects[(turn + round + 1) % subjects.length];
      const start = performance.now();
      const done = await Promise.all(
        // the first round warms up
        Array.from({ length: round < 0 ? 1 : streams }, (_, stream) =>
          subject.generate(promptOf((round + 1) * streams + stream), round < 0 ? 8 : maxTokens),
        ),
      );
      const seconds = (performance.now() - start) / 1000;
      if (round < 0) continue;
      subject.rates.push(done.reduce((sum, { tokens }) => sum + tokens, 0) / seconds);
      for (const { tokens, drafted, accepted, text } of done) {
        subject.tokens += tokens;
        subject.drafted += drafted;
        subject.accepted += accepted;
        subject.texts.push(text);
      }
    }
  }
}

const share = ({ drafted, accepted }) =>
  drafted === 0 ? "–" : `${((100 * accepted) / drafted).toFixed(0)} %`;
/** What llama-server does beside it: a fixed length. */
const fixedOf = (drafting) => drafting.replace(/^adaptive /u, "").replace("adaptive", "draft");
const started = performance.now();
const chosen = values.drafting?.split(",");
const kinds = Object.keys(DRAFTING).filter(
  (kind) =>
    (chosen === undefined || kind === "none" || chosen.includes(kind)) &&
    (values.draft !== undefined || !["draft", "adaptive"].includes(kind)),
);
console.log(
  `${threads} threads of ${availableParallelism()} cores, K = ${budget}, ${maxTokens} tokens, ${rounds} rounds, ` +
    `load ${loadavg()[0].toFixed(1)} at the start\n`,
);
console.log(
  "| workload | streams | drafting | tokens, adapter | llama-server | adapter tok/s | llama-server tok/s | ratio | speed-up by drafting, adapter | " +
    "llama-server | acceptance, adapter | llama-server | same text as without |",
);
console.log(`| ${Array.from({ length: 13 }, () => "---").join(" | ")} |`);
for (const streams of values.streams.split(",").map(Number)) {
  const subjects = [];
  for (const drafting of kinds) {
    subjects.push({ who: "adapter", drafting, ...(await startEngine(streams, drafting)) });
    // llama-server adapts no lengths
    const served = fixedOf(drafting);
    if (subjects.some(({ who, drafting: other }) => who === "llama-server" && other === served)) continue;
    subjects.push({ who: "llama-server", drafting: served, ...(await startServer(streams, served)) });
  }
  const find = (who, drafting) => subjects.find((one) => one.who === who && one.drafting === drafting);
  for (const [workload, promptOf] of Object.entries(WORKLOADS)) {
    await measure(subjects, promptOf, streams);
    const plain = find("adapter", "none");
    const plainServer = find("llama-server", "none");
    for (const drafting of kinds) {
      const adapter = find("adapter", drafting);
      const server = find("llama-server", fixedOf(drafting));
      const speedup = (one, without) => (drafting === "none" ? "" : median(ratios(one, without)).toFixed(2));
      const same = adapter.texts.filter((text, index) => text === plain.texts[index]).length;
      const each = ({ tokens, texts }) => (tokens / texts.length).toFixed(0);
      const cells = [workload, streams, drafting, each(adapter), each(server)];
      cells.push(
        median(adapter.rates).toFixed(0),
        median(server.rates).toFixed(0),
        median(ratios(adapter, server)).toFixed(2),
      );
      cells.push(speedup(adapter, plain), speedup(server, plainServer), share(adapter), share(server));
      cells.push(drafting === "none" ? "" : `${same} of ${plain.texts.length}`);
      console.log(`| ${cells.join(" | ")} |`);
    }
  }
  for (const { end } of subjects) await end();
}
console.log(
  `\n${((performance.now() - started) / 1000).toFixed(0)} s, load ${loadavg()[0].toFixed(1)} at the end`,
);
