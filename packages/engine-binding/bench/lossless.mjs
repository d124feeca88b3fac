// Greedy text with speculation beside greedy text without it, on the prompts of a JSONL file ({"id", "messages"} lines,
// the first user message of each), for drafts of fixed and adaptive length and for prompt lookup. Where two texts part,
// the line shows the two tokens and how near their probabilities are.
//
//   node bench/lossless.mjs --model FILE --draft FILE --prompts FILE [--count 50] [--tokens 128]
//
// Needs a build of this package (dist/).
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { loadLlamaEngine } from "../dist/index.js";

const { values } = parseArgs({
  options: {
    model: { type: "string" },
    draft: { type: "string" },
    prompts: { type: "string" },
    count: { type: "string", default: "50" },
    tokens: { type: "string", default: "128" },
  },
});
if (values.model === undefined || values.draft === undefined || values.prompts === undefined) {
  console.error("give --model FILE, --draft FILE and --prompts FILE");
  process.exit(2);
}
const questions = readFileSync(values.prompts, "utf8")
  .trim()
  .split("\n")
  .slice(0, Number(values.count))
  .map((line) => JSON.parse(line).messages.find(({ role }) => role === "user").content);
const maxTokens = Number(values.tokens);

async function outputs(engine) {
  const texts = [];
  for (const question of questions) {
    const text = `<|im_start|>user\n${question}<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n`;
    const ids = [];
    const tops = [];
    const request = { prompt: engine.tokenize(text), maxTokens, cachePrompt: false, logprobs: 2 };
    for await (const batch of engine.generate(request)) {
      ids.push(...batch.tokenIds);
      tops.push(...batch.logprobs);
    }
    texts.push({ ids, tops });
  }
  return texts;
}

async function load(options) {
  const engine = await loadLlamaEngine({ modelPath: values.model, contextSize: 1024, ...options });
  const result = await outputs(engine);
  const { speculation } = engine.counters();
  await engine.dispose();
  return { result, speculation };
}

const plain = await load({});
const arms = {
  "draft, K = 5": { draftModelPath: values.draft, draftTokens: 5 },
  "draft, K <= 5, adaptive": { draftModelPath: values.draft, draftTokens: 5, draftLength: "adaptive" },
  "prompt lookup, K = 5": { promptLookup: true, draftTokens: 5 },
};
for (const [name, options] of Object.entries(arms)) {
  const { result, speculation } = await load(options);
  let same = 0;
  const parted = [];
  for (const [index, { ids, tops }] of result.entries()) {
    const other = plain.result[index];
    const at = ids.findIndex((id, position) => id !== other.ids[position]);
    if (at < 0 && ids.length === other.ids.length) same++;
    else {
      const gap = Math.abs(tops[at].top[0].logprob - tops[at].top[1].logprob);
      parted.push(
        `prompt ${index}, token ${at}: ${other.ids[at]} without, ${ids[at]} with; log gap ${gap.toFixed(4)}`,
      );
    }
  }
  const { draftTokens, acceptedTokens, verifySteps } = speculation;
  console.log(
    `${name}: same text on ${same} of ${result.length} prompts; ${verifySteps} verify steps, ` +
      `acceptance ${((100 * acceptedTokens) / draftTokens).toFixed(1)} %`,
  );
  for (const line of parted) console.log(`  ${line}`);
}
