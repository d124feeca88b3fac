// Runs the pair greedily on held-out prompts, through @onpar/engine-binding: one JSON line a prompt, with the output, how it
// ended, and the acceptance of the draft.
//
//   node evaluate.mjs --target target.gguf --draft draft.gguf --prompts prompts-heldout.jsonl --out results.jsonl \
//     [--sets main,mix] [--limit N]
//
// Needs the workspace to be built (npm run setup in the root).
import { createReadStream, createWriteStream } from "node:fs";
import { createInterface } from "node:readline";
import { once } from "node:events";
import { parseArgs } from "node:util";
import { loadLlamaEngine } from "../../packages/engine-binding/dist/index.js";

const DRAFT_TOKENS = 5;
const CONTEXT_SIZE = 8192;

const { values } = parseArgs({
  options: {
    target: { type: "string" },
    draft: { type: "string" },
    prompts: { type: "string" },
    out: { type: "string" },
    sets: { type: "string" },
    limit: { type: "string" },
  },
});
for (const name of ["target", "draft", "prompts", "out"]) {
  if (values[name] === undefined) throw new Error(`--${name} is missing`);
}

/** The prompts of the wanted sets; with a limit, so many of them, evenly spread. */
async function readPrompts() {
  const sets = values.sets?.split(",");
  const rows = [];
  for await (const line of createInterface({ input: createReadStream(values.prompts) })) {
    const row = JSON.parse(line);
    if (sets === undefined || sets.includes(row.set)) rows.push(row);
  }
  if (values.limit === undefined) return rows;
  const step = Math.ceil(rows.length / Number(values.limit));
  return rows.filter((_, index) => index % step === 0);
}

/** Long copies may take longer than other answers. */
function cap(row) {
  return row.set.startsWith("copy") ? 1024 : 512;
}

async function evaluate(engine, row) {
  const prompt = engine.tokenize(row.prompt);
  const started = performance.now();
  let text = "";
  let finish;
  const maxTokens = Math.min(cap(row), CONTEXT_SIZE - prompt.length);
  for await (const batch of engine.generate({ prompt, maxTokens, cachePrompt: false })) {
    text += batch.text;
    finish = batch.finish ?? finish;
  }
  return {
    id: row.id,
    set: row.set,
    task: row.task,
    prompt_tokens: prompt.length,
    output_tokens: finish.outputTokens,
    ended: finish.reason === "eos",
    exact: text === row.reference,
    text,
    ms: Math.round(performance.now() - started),
    acceptance: finish.speculation,
  };
}

const rows = await readPrompts();
const engine = await loadLlamaEngine({
  modelPath: values.target,
  draftModelPath: values.draft,
  draftTokens: DRAFT_TOKENS,
  contextSize: CONTEXT_SIZE,
  threads: 1,
});
const out = createWriteStream(values.out);
try {
  for (const row of rows) out.write(`${JSON.stringify(await evaluate(engine, row))}\n`);
} finally {
  out.end();
  await once(out, "finish");
  await engine.dispose();
}
