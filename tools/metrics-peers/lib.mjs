// What the scripts of this folder share: start a server, send requests, and set its page against its answers.
import { spawn } from "node:child_process";
import { createWriteStream, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  fetchMetricsText,
  foreignTraffic,
  measureWindow,
  probeServer,
  readRequestAcceptance,
  scrapeMetrics,
  settleMetrics,
  sumRequestAcceptance,
} from "../../packages/metrics-client/dist/index.js";

/** Prompts whose answers repeat and do not, so that drafts are taken and refused. */
const PROMPTS = [
  "Once upon a time there was a little robot who",
  "Count: 1 2 3 4 1 2 3 4 1 2 3 4",
  "List the colours: red, green, blue, red, green,",
  "The weather today is",
  "def add(a, b):\n    return a + b\n\ndef sub(a, b):",
  "Question: what is 17 plus 25?\nAnswer:",
];

/** A port that nobody listens on. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

/** Starts a server and waits until its health is 200; its output goes to a file in the system's folder for such. */
export async function startServer(name, command, args, { port, readyWithinMs, env = {} }) {
  const log = path.join(os.tmpdir(), `onpar-${name}-${process.pid}.log`);
  const output = createWriteStream(log);
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } });
  child.stdout.pipe(output);
  child.stderr.pipe(output, { end: false });
  const state = { ended: null };
  const exited = new Promise((resolve) => {
    const end = (reason) => {
      state.ended = reason;
      resolve();
    };
    child.once("exit", (code, signal) => end(`it ended with ${signal ?? code}`));
    child.once("error", (error) => end(error.message));
  });
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    if (state.ended === null) child.kill("SIGINT");
    const killer = setTimeout(() => child.kill("SIGKILL"), 15_000);
    await exited;
    clearTimeout(killer);
  };
  const deadline = performance.now() + readyWithinMs;
  while (performance.now() < deadline && state.ended === null) {
    const ready = await fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (ready) return { url, stop, log };
    await sleep(200);
  }
  const why = state.ended ?? `it was not ready after ${readyWithinMs / 1000} s`;
  await stop();
  throw new Error(`${name} does not serve: ${why}; its output is in ${log}`);
}

/** Sends completions, so many at a time, and gives what each answer tells of its own drafts. */
async function sendAll(url, model, { requests, concurrency, maxTokens, temperature }) {
  const told = [];
  let next = 0;
  let outputTokens = 0;
  const worker = async () => {
    while (next < requests) {
      const index = next++;
      const response = await fetch(`${url}/v1/completions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          model,
          prompt: PROMPTS[index % PROMPTS.length],
          max_tokens: maxTokens,
          temperature,
          seed: index,
          ignore_eos: index % 2 === 0,
        }),
      });
      const answer = await response.json();
      if (!response.ok)
        throw new Error(`request ${index} was refused: ${JSON.stringify(answer).slice(0, 300)}`);
      outputTokens += answer.usage.completion_tokens;
      const own = readRequestAcceptance(answer);
      if (own !== null) told.push(own);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return { told, outputTokens };
}

/**
 * Compares acceptance from the page with the sum over the answers, prints both, and says whether they agree.
 *
 * @param capture folder to keep both pages in, or null
 */
export async function compare({ name, version, command, url, model, load, capture }) {
  const page = `${url}/metrics`;
  await sendAll(url, model, { ...load, requests: 2, concurrency: 1 });
  await sleep(500);
  const before = await scrapeMetrics(page);
  const textBefore = await fetchMetricsText(page);
  const { told, outputTokens } = await sendAll(url, model, load);
  const own = { requests: load.requests, outputTokens };
  const settled = await settleMetrics(before, () => scrapeMetrics(page), {
    own,
    nowMs: () => performance.now(),
    sleep,
  });
  const textAfter = await fetchMetricsText(page);
  const facts = await probeServer(url);
  const window = measureWindow(before, settled.snapshot, { facts });
  const fromPage = window.acceptance.reading;
  const fromAnswers = sumRequestAcceptance(told);
  if (fromPage === null) throw new Error(`no acceptance on the page: ${window.acceptance.missing}`);
  if (fromAnswers === null) throw new Error("no answer told its drafts");
  console.log(
    `\n${name} ${version}: ${load.requests} requests, ${told.length} with drafts, ${outputTokens} output tokens`,
  );
  console.log(`settled: ${settled.why}; foreign traffic: ${JSON.stringify(foreignTraffic(window, own))}`);
  const rows = ["draftTokens", "acceptedTokens", "verifySteps", "rate", "meanLength", "tokensPerStep"];
  let agrees = true;
  for (const key of rows) {
    const [a, b] = [fromPage[key], fromAnswers[key]];
    const isCompared = a !== null && b !== null && key !== "tokensPerStep";
    const fits = !isCompared || Math.abs(a.value - b.value) <= a.plusMinus + 1e-12;
    agrees &&= fits;
    const verdict = isCompared ? (fits ? "agrees" : "DIFFERS") : "not told by both";
    console.log(`${key.padEnd(15)} page ${said(a)}  answers ${said(b)}  ${verdict}`);
  }
  const positions = [fromPage.acceptedPerPosition, fromAnswers.acceptedPerPosition];
  console.log(
    `by position     page ${JSON.stringify(positions[0])}  answers ${JSON.stringify(positions[1])}`,
  );
  if (positions[0] !== null && positions[1] !== null) {
    agrees &&= JSON.stringify(positions[0]) === JSON.stringify(positions[1]);
  }
  if (capture !== null) {
    const answers = {
      requests: load.requests,
      outputTokens,
      draftTokens: fromAnswers.draftTokens?.value ?? null,
      acceptedTokens: fromAnswers.acceptedTokens?.value ?? null,
      verifySteps: fromAnswers.verifySteps?.value ?? null,
      acceptedPerPosition: fromAnswers.acceptedPerPosition,
    };
    keep(capture, name, { version, command, answers, textBefore, textAfter });
  }
  return agrees;
}

function said(figure) {
  if (figure === null) return "-".padEnd(12);
  const off = figure.plusMinus > 0 ? ` +- ${figure.plusMinus}` : "";
  return `${Number(figure.value.toFixed(6))}${off}`.padEnd(12);
}

function keep(folder, name, { version, command, answers, textBefore, textAfter }) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, `${name}-before.prom`), textBefore.body);
  writeFileSync(path.join(folder, `${name}-after.prom`), textAfter.body);
  const about = {
    engine: name,
    version,
    captured: new Date().toISOString().slice(0, 10),
    command,
    contentType: textAfter.contentType,
    startToken: textAfter.startToken,
    answers,
  };
  writeFileSync(path.join(folder, `${name}.json`), `${JSON.stringify(about, null, 2)}\n`);
  console.log(`kept in ${path.relative(process.cwd(), folder)}`);
}

/** `--name value` pairs of the command line over defaults; a flag that is not known ends the program. */
export function flags(defaults) {
  const values = { ...defaults };
  const given = process.argv.slice(2);
  for (let index = 0; index < given.length; index += 2) {
    const key = given[index].replace(/^--/, "");
    if (!(key in values) || given[index + 1] === undefined) {
      throw new Error(
        `${given[index]}: use ${Object.keys(defaults)
          .map((name) => `--${name} VALUE`)
          .join(", ")}`,
      );
    }
    values[key] = given[index + 1];
  }
  return values;
}
