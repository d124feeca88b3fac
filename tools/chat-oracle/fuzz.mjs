// Renders made-up templates with made-up data here and in Python, and prints every case on which the two part.
//
//   node fuzz.mjs [--cases 1000] [--seed 1] [--lines] [--shrink 20]
//
// Case i of a seed is the same on every machine with the same constructs.jsonl. --lines compares the lines of refusals as well. The first differing
// cases are made smaller. Needs Python 3 with jinja2 (PYTHON names another interpreter).
import { parseArgs } from "node:util";
import { brokenTemplate } from "./lib/broken.mjs";
import { variables } from "./lib/data.mjs";
import { OracleProcess } from "./lib/oracle-process.mjs";
import { Random } from "./lib/random.mjs";
import { createRenderer, kind, signature } from "./lib/renderer.mjs";
import { shortTemplate } from "./lib/short.mjs";
import { shrink } from "./lib/shrink.mjs";
import { template } from "./lib/statements.mjs";

const BATCH = 200;
/** Of one render: far above what a template of this size may take. */
const SLOW_MS = 200;

const { values } = parseArgs({
  options: {
    cases: { type: "string", default: "1000" },
    seed: { type: "string", default: "1" },
    shrink: { type: "string", default: "20" },
    lines: { type: "boolean", default: false },
  },
});
const cases = Number(values.cases);
const seed = Number(values.seed);

/** Of five cases, three are whole templates, one is one expression with odd arguments, and one is broken. */
function request(index) {
  const random = new Random(Math.imul(seed, 1_000_003) + index);
  if (index % 5 === 4) return { index, ...brokenTemplate(random) };
  if (index % 5 === 3) return { index, vars: "{}", template: shortTemplate(random) };
  const vars = variables(random);
  return { index, vars, template: template(random) };
}

/** The same for both sides: a conversation of its own, everything else as variables of the template. */
function asked({ vars, template }) {
  return {
    template,
    conversation: '{"messages": []}',
    kwargs: vars.replace(/^\{"messages": /u, '{"history": ').replace(', "messages": ', ', "history": '),
  };
}

const outcomeOf = await createRenderer();
const oracle = new OracleProcess();

/** A place in memory, which a filter may have made unrecognizable to `signature`. */
function showsMemory({ text = "", error }) {
  return /0x7f[0-9a-f]{8}/iu.test(text + (error?.message ?? ""));
}

function parts(expected, actual) {
  if (expected.limit !== undefined) return false;
  if (signature(expected) !== signature(actual)) return !(showsMemory(expected) && showsMemory(actual));
  return values.lines && expected.error !== undefined && expected.error.line !== actual.error.line;
}

const counts = { text: 0, refused: 0, "gave up in Python": 0, differing: 0, slow: 0 };
const differing = [];
const started = performance.now();
let slowest = 0;

async function batch(from) {
  const requests = Array.from({ length: Math.min(BATCH, cases - from) }, (_, offset) =>
    request(from + offset),
  );
  return { requests, results: await oracle.ask(requests.map(asked)) };
}

let next = batch(0);
for (let from = 0; from < cases; from += BATCH) {
  const { requests, results } = await next;
  // Python works on the next batch meanwhile.
  if (from + BATCH < cases) next = batch(from + BATCH);
  for (const [offset, expected] of results.entries()) {
    const began = process.cpuUsage();
    const actual = outcomeOf(asked(requests[offset]));
    const { user, system } = process.cpuUsage(began);
    // CPU time: a busy machine is no fault of a template.
    const took = (user + system) / 1000;
    slowest = Math.max(slowest, took);
    if (took > SLOW_MS) {
      counts.slow++;
      console.log(
        `slow: case ${requests[offset].index}, ${took.toFixed(0)} ms: ${JSON.stringify(requests[offset].template)}`,
      );
    }
    if (expected.limit !== undefined) counts["gave up in Python"]++;
    else if (expected.error !== undefined) counts.refused++;
    else counts.text++;
    if (parts(expected, actual)) {
      counts.differing++;
      differing.push({ request: requests[offset], expected, actual });
    }
  }
}

function show(label, result) {
  const line = result.error === undefined ? "" : ` (line ${result.error.line})`;
  console.log(`  ${label}: ${signature(result).slice(0, 600)}${line}`);
}

for (const { request, expected, actual } of differing.slice(0, Number(values.shrink))) {
  const sameWay = async (requests) => {
    const results = await oracle.ask(requests.map(asked));
    return results.map((result, index) => {
      const ours = outcomeOf(asked(requests[index]));
      return kind(result) === kind(expected) && kind(ours) === kind(actual) && parts(result, ours);
    });
  };
  const small = await shrink(request, sameWay);
  const [result] = await oracle.ask([asked(small)]);
  console.log(`case ${request.index}: ${JSON.stringify(small.template)}\n  with ${small.vars}`);
  show("Python", result);
  show("here  ", outcomeOf(asked(small)));
}
oracle.close();

const seconds = (performance.now() - started) / 1000;
console.log(
  `${cases} cases of seed ${seed} in ${seconds.toFixed(0)} s: ` +
    `${Object.entries(counts)
      .map(([name, count]) => `${count} ${name}`)
      .join(", ")}; slowest render ${slowest.toFixed(1)} ms`,
);
if (counts.differing > 0) {
  console.log(
    `differing: ${differing
      .slice(0, 200)
      .map(({ request }) => request.index)
      .join(" ")}`,
  );
  process.exitCode = 1;
}
