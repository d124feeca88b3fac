// Renders every template of a folder with every conversation of another, here and in Python, and says where the two part.
//
//   node check-templates.mjs TEMPLATES CONVERSATIONS [--show 3]
//
// TEMPLATES holds *.jinja files, CONVERSATIONS *.json files: {messages, tools?, documents?, add_generation_prompt?,
// continue_final_message?, special_tokens?, kwargs?}. Needs Python 3 with jinja2.
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { OracleProcess } from "./lib/oracle-process.mjs";
import { createRenderer, signature } from "./lib/renderer.mjs";

const SPECIAL_TOKENS = { bos_token: "<s>", eos_token: "</s>", unk_token: "<unk>", pad_token: "<pad>" };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { show: { type: "string", default: "3" } },
});
const [templates, conversations] = positionals;
if (templates === undefined || conversations === undefined)
  throw new Error("two folders are needed: templates, conversations");

const files = (folder, ending) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .toSorted()
    .map((name) => [path.basename(name, ending), readFileSync(path.join(folder, name), "utf8")]);

const requests = files(conversations, ".json").map(([name, text]) => {
  const row = JSON.parse(text);
  return {
    name,
    // The file's own text carries the messages and variables, so that 1.0 stays a float; see `valueText`.
    conversation: `{${["messages", "tools", "documents"]
      .filter((key) => key in row)
      .map((key) => `"${key}": ${valueText(text, key)}`)
      .join(", ")}}`,
    kwargs: "kwargs" in row ? valueText(text, "kwargs") : "{}",
    add_generation_prompt: row.add_generation_prompt ?? false,
    continue_final_message: row.continue_final_message ?? false,
    special_tokens: row.special_tokens ?? SPECIAL_TOKENS,
  };
});

/** The value of a top-level key, as the file writes it. */
function valueText(text, key) {
  let depth = 0;
  let inText = false;
  let start = -1;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (inText) {
      if (char === "\\") at++;
      else if (char === '"') inText = false;
      continue;
    }
    if (start < 0 && depth === 1 && text.startsWith(`"${key}"`, at)) {
      start = text.indexOf(":", at + key.length + 2) + 1;
      at = start - 1;
      continue;
    }
    if (start >= 0 && ((depth === 1 && char === ",") || (depth === 1 && "}]".includes(char))))
      return text.slice(start, at).trim();
    if (char === '"') inText = true;
    else if ("{[".includes(char)) depth++;
    else if ("}]".includes(char)) depth--;
  }
  throw new Error(`${key} is not there`);
}

const outcomeOf = await createRenderer();
const oracle = new OracleProcess();
let pairs = 0;
let differing = 0;
for (const [name, text] of files(templates, ".jinja")) {
  // transformers reads templates in text mode.
  const template = text.replace(/\r\n?/gu, "\n");
  const asked = requests.map((request) => ({ ...request, template }));
  const results = await oracle.ask(asked);
  const wrong = results.flatMap((expected, index) => {
    const actual = outcomeOf(asked[index]);
    return signature(expected) === signature(actual) ? [] : [{ name: asked[index].name, expected, actual }];
  });
  pairs += results.length;
  differing += wrong.length;
  const texts = results.filter((result) => result.text !== undefined).length;
  console.log(
    `${wrong.length === 0 ? "equal" : "DIFFERENT"} ${name}: ${texts} texts, ${results.length - texts} refusals, ${wrong.length} differ`,
  );
  for (const { name: which, expected, actual } of wrong.slice(0, Number(values.show))) {
    console.log(
      `  ${which}\n    Python: ${signature(expected).slice(0, 400)}\n    here:   ${signature(actual).slice(0, 400)}`,
    );
  }
}
oracle.close();
console.log(`${pairs} pairs, ${differing} differ`);
if (differing > 0) process.exitCode = 1;
