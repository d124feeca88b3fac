// Renders per second, and milliseconds to parse and compile, beside @huggingface/jinja and beside Jinja2 in CPython.
// The three take turns on the same template and conversation, several times; the tables show medians and ratios of
// medians. Time is time of the processor, so that a busy machine does not decide. What it prints takes the place of the
// tables in README.md as it stands.
//
//   node bench/renders.mjs [--templates DIR] [--contexts DIR] [--ms 200] [--rounds 5] [--python python3]
//
// Needs a build of this package (dist/) and Python with jinja2. Without --templates, a small template written here and
// whichever of the five are in ../shared are measured.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Template } from "@huggingface/jinja";
import { compileChatTemplate } from "../dist/index.js";

const shared = fileURLToPath(new URL("../../../../shared/chat/", import.meta.url));
const { values } = parseArgs({
  options: {
    templates: { type: "string", default: `${shared}templates` },
    contexts: { type: "string", default: `${shared}contexts` },
    ms: { type: "string", default: "200" },
    rounds: { type: "string", default: "5" },
    python: { type: "string", default: "python3" },
  },
});
const ms = Number(values.ms);
const rounds = Number(values.rounds);
const now = new Date(2026, 6, 26, 12, 34, 56);
const specialTokens = { bos_token: "<s>", eos_token: "</s>", unk_token: "<unk>", pad_token: "<pad>" };

const chatml = `{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}{{ '<|im_start|>system\\nYou are a helpful assistant.<|im_end|>\\n' }}{% endif %}{{'<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}`;

function templates() {
  const files = [
    ["Qwen3-0.6B", "lcpp-Qwen-Qwen3-0.6B"],
    ["Llama-3.1-8B", "lcpp-meta-llama-Llama-3.1-8B-Instruct"],
    ["gpt-oss-120b", "lcpp-openai-gpt-oss-120b"],
    ["Gemma-4-12B", "ctp-gemma4-upstream-12B-it"],
  ];
  return [
    ["ChatML", chatml],
    ...files
      .map(([name, file]) => [name, `${values.templates}/${file}.jinja`])
      .filter(([, path]) => existsSync(path))
      .map(([name, path]) => [name, readFileSync(path, "utf8")]),
  ];
}

function conversations() {
  const many = Array.from({ length: 50 }, (_, turn) => ({
    role: turn % 2 === 0 ? "user" : "assistant",
    content: `Turn ${turn}: ${"a few words of this conversation ".repeat(3).trim()}.`,
  }));
  const ofFile = (name) => {
    const { messages, tools } = JSON.parse(readFileSync(`${values.contexts}/${name}.json`, "utf8"));
    return { messages, tools };
  };
  const three = { messages: many.slice(0, 3), tools: null };
  return [
    ["3 messages", existsSync(`${values.contexts}/04_multi_turn.json`) ? ofFile("04_multi_turn") : three],
    ...(existsSync(`${values.contexts}/26_tools_system.json`) ? [["tools", ofFile("26_tools_system")]] : []),
    ["51 messages", { messages: [...many, { role: "user", content: "And now?" }], tools: null }],
  ];
}

/** Milliseconds of the processor that this process has used, in all its threads. */
function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function perSecond(render) {
  const text = render();
  let count = 0;
  const start = cpuMs();
  for (;;) {
    for (let call = 0; call < 10; call += 1) {
      render();
    }
    count += 10;
    const elapsed = cpuMs() - start;
    if (elapsed >= ms) {
      return { text, perSecond: (count / elapsed) * 1000 };
    }
  }
}

/** Of the fastest of ten, in a warm process. */
function compileMs(compile) {
  const times = Array.from({ length: 10 }, () => {
    const start = cpuMs();
    compile();
    return cpuMs() - start;
  });
  return Math.min(...times);
}

const python = spawn(values.python, [fileURLToPath(new URL("renders.py", import.meta.url))], {
  stdio: ["pipe", "pipe", "inherit"],
});
const answers = createInterface({ input: python.stdout })[Symbol.asyncIterator]();
async function inPython(request) {
  python.stdin.write(`${JSON.stringify(request)}\n`);
  const { value } = await answers.next();
  return JSON.parse(value);
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const rounded = (number) => String(Math.round(number));

const rows = [];
const compileRows = [];
for (const [name, template] of templates()) {
  const ours = compileChatTemplate(template);
  const theirs = new Template(template);
  for (const [label, { messages, tools }] of conversations()) {
    const variables = { messages, tools, documents: null, add_generation_prompt: true, ...specialTokens };
    const speeds = { ours: [], hf: [], python: [] };
    let note = "";
    // Round -1 lets both engines' compilers come to rest and is not counted: whoever comes first would pay for all that follow.
    for (let round = -1; round < rounds; round += 1) {
      const here = perSecond(
        () => ours.render({ messages, tools }, { addGenerationPrompt: true, specialTokens, now }).text,
      );
      if (round >= 0) speeds.ours.push(here.perSecond);
      try {
        const there = perSecond(() => theirs.render(variables));
        if (round >= 0) speeds.hf.push(there.perSecond);
        note = there.text === here.text ? "" : "other text";
      } catch {
        note = "fails";
      }
      const reference = await inPython({ template, variables, ms });
      if (round >= 0) speeds.python.push(reference.perSecond);
      if (reference.text !== here.text) {
        throw new Error(`${name}: not the text that Python renders`);
      }
    }
    const [own, hf, py] = [median(speeds.ours), median(speeds.hf), median(speeds.python)];
    rows.push([
      name,
      label,
      rounded(own),
      hf === undefined ? note : `${rounded(hf)}${note === "" ? "" : ` (${note})`}`,
      rounded(py),
      hf === undefined ? "-" : (own / hf).toFixed(1),
      (own / py).toFixed(1),
    ]);
  }
  const compiledInPython = await inPython({
    template: `${template}{# again #}`,
    variables: { messages: [{ role: "user", content: "Hi" }], add_generation_prompt: true },
    ms: 1,
  });
  compileRows.push([
    name,
    String(template.length),
    compileMs(() => compileChatTemplate(template)).toFixed(2),
    compileMs(() => new Template(template)).toFixed(2),
    compiledInPython.compileMs.toFixed(1),
  ]);
}
python.stdin.end();

/** In columns, as the README holds it. */
function table(head, lines) {
  const widths = head.map((_cell, column) =>
    Math.max(...[head, ...lines].map((cells) => cells[column].length)),
  );
  const all = [head, widths.map((width) => "-".repeat(width)), ...lines];
  console.log(
    all
      .map((cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(" | ")} |`)
      .join("\n"),
  );
}
table(
  [
    "template",
    "conversation",
    "renders/s",
    "@huggingface/jinja",
    "Python Jinja2",
    "ratio",
    "ratio to Python",
  ],
  rows,
);
console.log();
table(
  ["template", "characters", "parse + compile, ms", "@huggingface/jinja (parse), ms", "Python Jinja2, ms"],
  compileRows,
);
