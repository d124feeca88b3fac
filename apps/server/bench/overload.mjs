// Ten times as many requests as the server can answer, for a minute: measures what it can, offers ten times that rate whatever
// becomes of the requests, and looks at what is left afterwards.
//
//   node bench/overload.mjs [--seconds 60] [--times 10] [--slots 4] [--max-queue 32] [--tokens 32]
//
// Needs a build (dist/). Exit code 1: an answer that is neither 200 nor 429, a 429 without Retry-After, requests that stay, memory
// that stays, or a next request that does not work.
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startServer } from "./server-process.mjs";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    times: { type: "string", default: "10" },
    slots: { type: "string", default: "4" },
    "max-queue": { type: "string", default: "32" },
    tokens: { type: "string", default: "32" },
  },
});
const seconds = Number(values.seconds);
const times = Number(values.times);
const slots = Number(values.slots);
const maxTokens = Number(values.tokens);
/** Requests that the server accepts at the same time: twice its slots are handed to the engine, the others wait. */
const room = 2 * slots + Number(values["max-queue"]);
const CAPACITY_SECONDS = 8;
const WARMUP_SECONDS = 10;
const MOST_MEMORY_MIB = 64;

const server = await startServer([
  `--slots=${slots}`,
  "--ctx=512",
  `--max-queue=${values["max-queue"]}`,
  "--quiet",
]);
const agent = new Agent({ keepAlive: true });
let asked = 0;

/** One chat request, read to its end. */
function ask() {
  const body = JSON.stringify({
    messages: [{ role: "user", content: `Tell me of harbour ${asked++}.` }],
    max_tokens: maxTokens,
    ignore_eos: true,
    temperature: 0,
  });
  const started = performance.now();
  return new Promise((resolve) => {
    const end = (status, retryAfter = null, tokens = null) =>
      resolve({ status, retryAfter, tokens, ms: performance.now() - started });
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const options = { host: "127.0.0.1", port: server.port, path: "/v1/chat/completions", method: "POST" };
    const sent = request({ ...options, agent, headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part) => (text += part));
      answer.on("end", () => {
        const tokens = answer.statusCode === 200 ? JSON.parse(text).usage.completion_tokens : null;
        end(answer.statusCode, answer.headers["retry-after"] ?? null, tokens);
      });
      answer.on("error", () => end("cut off"));
    });
    sent.on("error", (error) => end(error.code ?? "failed"));
    sent.end(body);
  });
}

async function gauge(name) {
  const page = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();
  return Number(new RegExp(`^${name}\\{[^}]*\\} (.*)$`, "m").exec(page)?.[1]);
}

/** MiB that the server holds; NaN where the system does not tell. */
function residentMiB() {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))?.[1]) / 1024;
  } catch {
    return Number.NaN;
  }
}

async function untilIdle() {
  const deadline = performance.now() + 60_000;
  while (performance.now() < deadline) {
    const running = await gauge("vllm:num_requests_running");
    if (running + (await gauge("vllm:num_requests_waiting")) === 0) return true;
    await sleep(50);
  }
  return false;
}

/** Requests per second when as many are under way as the server takes. */
async function capacity() {
  const until = performance.now() + CAPACITY_SECONDS * 1000;
  let done = 0;
  const lane = async () => {
    while (performance.now() < until) {
      await ask();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: 2 * slots }, lane));
  return done / CAPACITY_SECONDS;
}

/** Sends at a rate for a time, on a schedule that does not wait for answers. */
async function offer(perSecond, seconds) {
  const answers = [];
  const started = performance.now();
  let most = 0;
  for (let index = 0; index < perSecond * seconds; index += 1) {
    const due = started + (index * 1000) / perSecond;
    if (due > performance.now()) await sleep(due - performance.now());
    answers.push(ask());
    if (index % 100 === 0) most = Math.max(most, residentMiB());
  }
  const tookSeconds = (performance.now() - started) / 1000;
  return { answers: await Promise.all(answers), tookSeconds, most };
}

const share = (list, part) =>
  list.toSorted((a, b) => a - b)[Math.floor((list.length - 1) * part)] ?? Number.NaN;
const faults = [];
const check = (holds, what) => {
  console.log(`${holds ? "PASS" : "MISS"}: ${what}`);
  if (!holds) faults.push(what);
};

const rate = await capacity();
// The first ones bring every buffer to its size.
await offer(Math.ceil(rate * times), WARMUP_SECONDS);
await untilIdle();
const before = residentMiB();
console.log(
  `capacity ${rate.toFixed(1)} requests/s at ${slots} slots of ${maxTokens} tokens; load ${loadavg()[0].toFixed(1)}`,
);
const { answers, tookSeconds, most } = await offer(Math.ceil(rate * times), seconds);
const counts = new Map();
for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1);
const of = (status) => answers.filter((answer) => answer.status === status);
const offered = answers.length / tookSeconds;
const ms = (list, part) =>
  share(
    list.map((answer) => answer.ms),
    part,
  ).toFixed(0);
console.log(
  `offered ${offered.toFixed(0)} requests/s for ${tookSeconds.toFixed(1)} s, ${(offered / rate).toFixed(1)} times the capacity`,
);
console.log(`answers: ${[...counts].map(([status, count]) => `${status} ${count}`).join(", ")}`);
console.log(
  `200: ${(of(200).length / tookSeconds).toFixed(1)}/s, p50 ${ms(of(200), 0.5)} ms, p99 ${ms(of(200), 0.99)} ms`,
);
console.log(
  `429: p50 ${ms(of(429), 0.5)} ms, p99 ${ms(of(429), 0.99)} ms; Retry-After ${[...new Set(of(429).map(({ retryAfter }) => retryAfter))].join(", ")} s`,
);

check(counts.size === 2 && of(200).length > room, "every answer is 200 or 429");
check(
  of(200).every(({ tokens }) => tokens === maxTokens),
  "every 200 is whole",
);
check(
  of(429).every(({ retryAfter }) => Number(retryAfter) > 0),
  "every 429 carries Retry-After",
);
check(await untilIdle(), "nothing runs and nothing waits afterwards");
const together = await Promise.all(Array.from({ length: room }, ask));
check(
  together.every(({ status, tokens }) => status === 200 && tokens === maxTokens),
  "every place works: as many requests as there is room for end well",
);
await sleep(2000);
const after = residentMiB();
console.log(
  `memory: ${before.toFixed(0)} MiB before, at most ${most.toFixed(0)} MiB, ${after.toFixed(0)} MiB after`,
);
check(!(after - before > MOST_MEMORY_MIB), `memory comes back within ${MOST_MEMORY_MIB} MiB`);
agent.destroy();
check((await server.stop()) === 0, "the server ends when it is asked to");
process.exitCode = faults.length === 0 ? 0 : 1;
