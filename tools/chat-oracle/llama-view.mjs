// Writes what llama-server itself renders for the tests' conversations: test/fixtures/llama-cpp.json of packages/chat-render.
//
//   node llama-view.mjs LLAMA_SERVER MODEL.gguf [OUT]
//
// One server at a time, on loopback, with the tests' templates in turn. The model only lends its tokenizer.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const fixtures = fileURLToPath(new URL("../../packages/chat-render/test/fixtures/", import.meta.url));
const START_MS = 60_000;
const PORT = 18_000 + (process.pid % 2000);

const [executable, model, out = path.join(fixtures, "llama-cpp.json")] = process.argv.slice(2);
if (executable === undefined || model === undefined) throw new Error("llama-server and a model are needed");

/** False where the server ends at once: it cannot read the template. */
async function started(base, child) {
  const end = Date.now() + START_MS;
  while (Date.now() < end) {
    if (child.exitCode !== null) return false;
    const healthy = await fetch(`${base}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (healthy) return true;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error("llama-server did not start");
}

/** The request as JSON text: the conversation's own text stays as it is. */
function body({ conversation, kwargs = "{}" }) {
  return `${conversation.slice(0, -1)}, "chat_template_kwargs": ${kwargs}}`;
}

async function renderAll(template, rows) {
  const base = `http://127.0.0.1:${PORT}`;
  const args = [
    "-m",
    model,
    "--host",
    "127.0.0.1",
    "--port",
    String(PORT),
    "-c",
    "512",
    "-ngl",
    "0",
    "-t",
    "1",
    "--jinja",
    "--no-warmup",
  ];
  const child = spawn(executable, [...args, "--chat-template-file", template], { stdio: "ignore" });
  try {
    if (!(await started(base, child))) return null;
    const props = await fetch(`${base}/props`).then((answer) => answer.json());
    const results = {};
    for (const row of rows) {
      const answer = await fetch(`${base}/apply-template`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: body(row),
      });
      const json = await answer.json();
      results[row.name] = answer.ok
        ? { text: json.prompt }
        : { error: String(json.error?.message ?? json.error).slice(0, 300) };
    }
    return {
      bos_token: props.bos_token,
      eos_token: props.eos_token,
      capabilities: props.chat_template_caps,
      results,
    };
  } finally {
    child.kill();
    if (child.exitCode === null) await once(child, "exit");
  }
}

const rows = readFileSync(path.join(fixtures, "conversations.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));
const all = {};
for (const name of readdirSync(path.join(fixtures, "templates")).toSorted()) {
  const rendered = await renderAll(
    path.join(fixtures, "templates", name),
    rows.filter(({ continue_final_message: open }) => open === undefined),
  );
  if (rendered !== null) all[path.basename(name, ".jinja")] = rendered;
}
writeFileSync(out, `${JSON.stringify(all, null, 1)}\n`);
