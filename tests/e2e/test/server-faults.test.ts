// What clients do to a server, on purpose or not: afterwards no slot is lost, memory is what it was, and the next request works.
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type RunningServer } from "../src/processes.ts";
import { chatBytes, openRaw } from "../src/raw-client.ts";

const SLOTS = 2;
const MAX_QUEUE = 16;
let server: RunningServer;

beforeAll(async () => {
  server = await startServer([
    `--slots=${SLOTS}`,
    "--ctx=512",
    `--max-queue=${MAX_QUEUE}`,
    "--allow-request-templates",
  ]);
});

afterAll(async () => {
  expect(await server.stop()).toBe(0);
});

/** A number from 0 to 1 that is the same in every run (mulberry32). */
function drawer(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function post(path: string, body: string | object, signal?: AbortSignal): Promise<Response> {
  return fetch(new URL(path, server.url), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
}

const chat = (body: object, signal?: AbortSignal): Promise<Response> =>
  post(
    "/v1/chat/completions",
    { messages: [{ role: "user", content: "Tell me of the harbour." }], ...body },
    signal,
  );

/** A series of the metrics page, summed over its labels. */
async function metric(name: string): Promise<number> {
  const page = await (await fetch(new URL("/metrics", server.url))).text();
  const values = page
    .split("\n")
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  return values.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
}

/** Nothing runs and nothing waits any more. */
async function untilIdle(): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    const busy = (await metric("vllm:num_requests_running")) + (await metric("vllm:num_requests_waiting"));
    if (busy === 0) return;
    await sleep(50);
  }
  throw new Error("requests are still under way after 30 s");
}

/** Output tokens of requests that take every slot at the same time, once nothing else is under way. */
async function tokensOfAllSlots(): Promise<unknown[]> {
  await untilIdle();
  return Promise.all(
    Array.from({ length: SLOTS }, async () => {
      const answer = await chat({ max_tokens: 8, ignore_eos: true });
      const { usage } = (await answer.json()) as { usage?: { completion_tokens?: unknown } };
      return usage?.completion_tokens;
    }),
  );
}
const EACH_EIGHT = Array.from({ length: SLOTS }, () => 8);

/** Resident memory of the server, MiB; 0 where the system has no such page, and nothing is said then. */
function residentMiB(): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))?.[1]) / 1024;
  } catch {
    return 0;
  }
}

describe("1,000 clients that leave at random", () => {
  it("lose no slot and no memory", async () => {
    const draw = drawer(7);
    // The first ones bring every buffer to its size.
    await leaveAtRandom(200, draw);
    await untilIdle();
    const before = residentMiB();
    await leaveAtRandom(1000, draw);
    expect(await tokensOfAllSlots()).toEqual(EACH_EIGHT);
    // Requests with their prompts and outputs would be several times that if they stayed.
    expect(residentMiB() - before).toBeLessThan(64);
  });

  /** 32 at a time: streamed or whole, some leave before they have sent all, some before an answer, some within it. */
  async function leaveAtRandom(clients: number, draw: () => number): Promise<void> {
    let left = clients;
    const lane = async (): Promise<void> => {
      while (left-- > 0) {
        const bytes = chatBytes({ max_tokens: 200, stream: draw() < 0.7, ignore_eos: true });
        const sent = draw() < 0.2 ? bytes.slice(0, Math.floor(draw() * bytes.length)) : bytes;
        const { socket, closed } = await openRaw(server.url, sent);
        await Promise.race([sleep(draw() * 60), closed]);
        if (draw() < 0.5) socket.resetAndDestroy();
        else socket.destroy();
        await closed;
      }
    };
    await Promise.all(Array.from({ length: 32 }, lane));
  }
});

describe("half-open connections", () => {
  it("hold nothing up, and one that ends its side has left", async () => {
    const long = { max_tokens: 400, ignore_eos: true };
    const ended = await openRaw(server.url, chatBytes(long));
    ended.socket.end();
    // Never reads, never sends again.
    const silent = await openRaw(server.url, chatBytes({ ...long, stream: true }));
    silent.socket.pause();
    // Begins a head and stops; begins a body and stops.
    const inHead = await openRaw(server.url, "POST /v1/chat/completions HTTP/1.1\r\nHost: onpar\r\n");
    const inBody = await openRaw(server.url, chatBytes(long).slice(0, -10));
    await ended.closed;
    expect(await tokensOfAllSlots()).toEqual(EACH_EIGHT);
    for (const { socket } of [silent, inHead, inBody]) socket.destroy();
  });
});

describe("bodies that no client should send", () => {
  it("of 64 MB are refused without being kept", async () => {
    const before = residentMiB();
    const body = Buffer.alloc(64 * 2 ** 20, 97);
    for (let attempt = 0; attempt < 3; attempt++) {
      const answer = await fetch(new URL("/v1/chat/completions", server.url), {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      });
      expect(answer.status).toBe(413);
      expect(await answer.json()).toMatchObject({ error: { code: "body_too_large" } });
    }
    // The length may be told or not.
    const parts = await fetch(new URL("/v1/chat/completions", server.url), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: new Blob([body]).stream(),
      duplex: "half",
    });
    expect(parts.status).toBe(413);
    await parts.arrayBuffer();
    expect(residentMiB() - before).toBeLessThan(64);
  });

  it.each([
    ["no JSON", "{"],
    ["no UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
    ["JSON that is nested too deeply", `${"[".repeat(50_000)}${"]".repeat(50_000)}`],
  ])("with %s are refused", async (_what, body) => {
    const answer = await fetch(new URL("/v1/chat/completions", server.url), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { type: "invalid_request_error" } });
  });

  it("with more messages or a larger head than the limits are refused", async () => {
    const messages = Array.from({ length: 5000 }, () => ({ role: "user", content: "x" }));
    expect((await post("/v1/chat/completions", { messages })).status).toBe(400);
    const answer = await openRaw(
      server.url,
      `GET /health HTTP/1.1\r\nHost: onpar\r\nX-Long: ${"x".repeat(20_000)}\r\n\r\n`,
    );
    await answer.closed;
    expect(answer.received()).toMatch(/^HTTP\/1\.1 431 /);
  });
});

describe("templates that come with requests", () => {
  it.each([
    ["that never end", "{% for a in range(99999) %}{% for b in range(99999) %}x{% endfor %}{% endfor %}"],
    [
      "that explode",
      "{% set ns = namespace(s='x') %}{% for i in range(60) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}{{ ns.s }}",
    ],
    [
      "that reach for internals",
      "{{ messages.__class__.__mro__ }}{{ ''.constructor.constructor('return process')() }}",
    ],
    ["that are broken", "{% for %}"],
  ])("%s are refused, and the server answers others meanwhile", async (_what, chat_template) => {
    const [hostile, health] = await Promise.all([
      chat({ chat_template, max_tokens: 1 }),
      fetch(new URL("/health", server.url)),
    ]);
    expect(health.status).toBe(200);
    expect(hostile.status).toBe(400);
    const text = await hostile.text();
    expect(text).not.toMatch(/node_modules|\.ts\b|\.js\b|\bat /);
  });
});

describe("ten times as many requests as there is room for", () => {
  it("are answered or refused at once, and the server works afterwards", async () => {
    const room = SLOTS * 2 + MAX_QUEUE;
    const answers = await Promise.all(
      Array.from({ length: room * 10 }, async () => {
        const answer = await chat({ max_tokens: 4, ignore_eos: true });
        await answer.arrayBuffer();
        return answer;
      }),
    );
    const counts = new Map<number, number>();
    for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1);
    expect([...counts.keys()].sort((a, b) => a - b)).toEqual([200, 429]);
    expect(counts.get(200)).toBeGreaterThanOrEqual(SLOTS);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.every(({ headers }) => Number(headers.get("retry-after")) > 0)).toBe(true);
    expect(await tokensOfAllSlots()).toEqual(EACH_EIGHT);
  });
});

describe("SIGTERM under load", () => {
  it("ends what is running by the deadline, refuses the rest, and leaves no process", async () => {
    const loaded = await startServer(["--slots=2", "--ctx=2048", "--drain-seconds=1"]);
    const url = new URL("/v1/completions", loaded.url);
    const ask = async (): Promise<string> => {
      const answer = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ prompt: "The river", max_tokens: 2000, ignore_eos: true, stream: true }),
      });
      return `${answer.status} ${await answer.text()}`;
    };
    const asked = Array.from({ length: 12 }, ask);
    await sleep(500);
    const code = await loaded.stop();
    expect(code).toBe(0);
    // Whoever was served or waited is told; nobody is left with a connection that just ends.
    const ends = await Promise.all(
      asked.map((end) => end.catch((error: unknown) => `cut off: ${String(error)}`)),
    );
    expect(ends.filter((end) => !/shutting_down|\[DONE\]/.test(end))).toEqual([]);
  });
});
