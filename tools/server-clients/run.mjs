// Real clients against onpar-server: installs each one with pip into an environment of its own, starts the server with the
// bundled pair, lets every client do a short run unmodified, and sets what it reports beside what the server's page counted
// meanwhile. `onpar run` takes the same prompts before and after them, which shows how steady the machine was.
//
//   node tools/server-clients/run.mjs [--requests 20] [--output-len 64] [--concurrency 2] [--only openai,guidellm]
//     [--environments FOLDER] [--tokenizer FOLDER] [--python python3] [--vllm yes]
//
// Needs a build and Python 3.10 or newer. The environments are made in a temporary folder and removed, unless --environments
// names one to keep; vllm alone takes 10 GB and is left out unless it is asked for. Exit code 1: a client failed, or a count that
// both sides tell differs.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { demoModel } from "../../packages/demo-model/dist/index.js";
import { flags, freePort, startServer } from "../metrics-peers/lib.mjs";
import { root } from "../lib/run.mjs";
import { aiperf } from "./clients/aiperf.mjs";
import { guidellm } from "./clients/guidellm.mjs";
import { llamaBenchy } from "./clients/llama-benchy.mjs";
import { onpar } from "./clients/onpar.mjs";
import { openai } from "./clients/openai.mjs";
import { vllmBench } from "./clients/vllm-bench.mjs";
import { ClientFailed, Environments } from "./lib/environments.mjs";
import { difference, readPage, told } from "./lib/page.mjs";
import { writePrompts } from "./lib/prompts.mjs";
import { compareCounts, printTable } from "./lib/table.mjs";
import { writeTokenizer } from "./lib/tokenizer.mjs";

const given = flags({
  requests: "20",
  "output-len": "64",
  concurrency: "2",
  only: "",
  environments: "",
  tokenizer: "",
  python: "python3",
  vllm: "no",
});
const clients = [onpar, openai, guidellm, aiperf, llamaBenchy, vllmBench, onpar];
const ADMIN_KEY = "server-clients";

const folder = mkdtempSync(path.join(tmpdir(), "onpar-clients-"));
const environments = new Environments(given.environments || path.join(folder, "environments"), given.python);
const load = {
  requests: Number(given.requests),
  outputLength: Number(given["output-len"]),
  concurrency: Number(given.concurrency),
};

function isAsked(client) {
  if (client === onpar) return true;
  if (given.only !== "") return given.only.split(",").includes(client.name);
  return client !== vllmBench || given.vllm === "yes";
}

async function resetPrefixCache(url) {
  const headers = { authorization: `Bearer ${ADMIN_KEY}` };
  const { ok, status } = await fetch(`${url}/reset_prefix_cache`, { method: "POST", headers });
  if (!ok) throw new Error(`the prefix cache was not reset: ${status}`);
}

/** One client's run, and what the server counted meanwhile. */
async function measure(client, setup) {
  const environment = await environments.of(client);
  const work = path.join(folder, `${client.name}-${rows.length}`);
  mkdirSync(work);
  await resetPrefixCache(setup.url);
  const before = await readPage(setup.url);
  const reported = await client.run({ ...setup, ...load, work, environment });
  const counted = told(difference(before, await readPage(setup.url)), load.concurrency);
  return { name: client.name, version: environment?.version ?? "this one", reported, counted };
}

const rows = [];
let failures = 0;
const port = await freePort();
const args = [path.join(root, "apps", "server", "bin", "onpar-server.js"), "--port", String(port)];
const server = await startServer("server-clients", process.execPath, args, {
  port,
  readyWithinMs: 120_000,
  env: { ONPAR_ADMIN_KEY: ADMIN_KEY },
});
try {
  const setup = {
    url: server.url,
    model: demoModel.name,
    tokenizer: given.tokenizer || (await writeTokenizer(path.join(folder, "tokenizer"))),
    prompts: writePrompts(folder, load),
  };
  for (const client of clients.filter(isAsked)) {
    console.log(`\n=== ${client.name}`);
    try {
      const row = await measure(client, setup);
      const problems = [...(row.reported.problems ?? []), ...compareCounts(row)];
      for (const problem of problems) console.log(`DIFFERS: ${problem}`);
      if (problems.length > 0) failures += 1;
      if (row.reported.requests !== undefined) rows.push(row);
    } catch (error) {
      if (!(error instanceof ClientFailed)) throw error;
      failures += 1;
      console.log(`FAILED: ${error.message}`);
    }
  }
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
printTable(rows, load);
console.log(
  failures === 0 ? "\nevery client ended well and every count agrees" : `\n${failures} clients did not`,
);
process.exitCode = failures === 0 ? 0 : 1;
