// Keys from a file: who gets in, who does not, and that no key is ever told to anybody.
import { mkdirSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { onpar, serverRefusing, startServer, type RunningServer } from "../src/processes.ts";
import { temporaryFolder } from "../src/runs.ts";

const FIRST = "first-key-2f6c1d";
const SECOND = "second-key-9b7a40";
const ADMIN = "admin-key-5e0d88";
const WRONG = "wrong-key-c4d1aa";
const folder = temporaryFolder();
const keyFile = folder.file("keys");
let server: RunningServer;
/** Every answer and its headers: no key may be in them. */
let answered = "";

beforeAll(async () => {
  writeFileSync(keyFile, `# keys of two clients\r\n\r\n${FIRST}\r\n  ${SECOND}  \n\n`);
  server = await startServer(["--slots=1", "--ctx=512", `--api-key-file=${keyFile}`], {
    ONPAR_ADMIN_KEY: ADMIN,
  });
});

afterAll(async () => {
  folder.remove();
  expect(await server.stop()).toBe(0);
});

async function ask(path: string, authorization: string | null, body?: object): Promise<Response> {
  const answer = await fetch(new URL(path, server.url), {
    method: body === undefined ? "GET" : "POST",
    headers: {
      ...(authorization === null ? {} : { authorization }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.clone().text();
  answered += `${JSON.stringify([...answer.headers])}\n${text}\n`;
  return answer;
}

const chat = { messages: [{ role: "user", content: "Count." }], max_tokens: 4, temperature: 0 };

describe("keys of a file", () => {
  it.each([
    ["the first", `Bearer ${FIRST}`],
    ["the second, whose line has spaces around it", `Bearer ${SECOND}`],
    ["an admin's", `Bearer ${ADMIN}`],
    ["one after a scheme in small letters", `bearer ${FIRST}`],
  ])("let %s in", async (_which, authorization) => {
    expect((await ask("/v1/models", authorization)).status).toBe(200);
    expect((await ask("/v1/chat/completions", authorization, chat)).status).toBe(200);
  });

  it.each([
    ["none", null],
    ["another", `Bearer ${WRONG}`],
    ["an empty one", "Bearer "],
    ["the beginning of one", `Bearer ${FIRST.slice(0, -1)}`],
    ["one with more after it", `Bearer ${FIRST}x`],
    ["two at once", `Bearer ${FIRST} ${SECOND}`],
    ["a key without its scheme", FIRST],
    ["another scheme", `Basic ${Buffer.from(`:${FIRST}`).toString("base64")}`],
    ["a line of the file that is a comment", "Bearer #"],
  ])("refuse %s", async (_which, authorization) => {
    for (const [path, body] of [
      ["/v1/models", undefined],
      ["/v1/chat/completions", chat],
      ["/v1/completions", { prompt: "x" }],
      ["/v1/responses", { input: "x" }],
      ["/tokenize", { prompt: "x" }],
      ["/props", undefined],
      ["/server_info", undefined],
      ["/openapi.json", undefined],
      ["/no/such/path", undefined],
    ] as const) {
      const answer = await ask(path, authorization, body);
      expect(answer.status, path).toBe(401);
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
      expect(await answer.json()).toMatchObject({ error: { code: "invalid_api_key" } });
    }
  });

  it("leave open what probes and scrapers read", async () => {
    for (const path of ["/health", "/version", "/metrics"])
      expect((await ask(path, null)).status, path).toBe(200);
  });

  it("do not open the admin endpoints: those need a key of their own", async () => {
    for (const path of ["/reset_prefix_cache", "/flush_cache"]) {
      expect((await ask(path, null, {})).status).toBe(401);
      expect((await ask(path, `Bearer ${FIRST}`, {})).status).toBe(401);
      expect((await ask(path, `Bearer ${ADMIN}`, {})).status).toBe(200);
    }
  });

  it("are what the command line sends", async () => {
    const flags = ["run", "--base-url", server.url, "--endpoint", "chat-completions", "--num-prompts", "2"];
    flags.push("--input-len", "16", "--output-len", "8", "--warmup", "0", "--json");
    const let_in = await onpar(flags, { OPENAI_API_KEY: SECOND });
    expect(let_in.code, let_in.stderr).toBe(0);
    const refused = await onpar(flags, { OPENAI_API_KEY: WRONG });
    expect(refused.code).not.toBe(0);
    expect(let_in.stdout + let_in.stderr + refused.stdout + refused.stderr).not.toMatch(
      new RegExp(`${SECOND}|${WRONG}`),
    );
  });

  it("are told nobody: not in answers, not in what the server prints", async () => {
    await ask("/v1/chat/completions", `Bearer ${FIRST}`, { ...chat, unknown_field: SECOND });
    await ask("/v1/chat/completions", `Bearer ${FIRST}`, { ...chat, max_tokens: 10_000 });
    await ask(`/v1/models?key=${FIRST}`, `Bearer ${WRONG}`);
    for (const key of [FIRST, SECOND, ADMIN, WRONG]) {
      expect(answered).not.toContain(key);
      expect(server.written()).not.toContain(key);
    }
    expect(server.written()).toContain("ignored fields of a request: unknown_field");
  });
});

describe("files that hold no usable key", () => {
  const named = (name: string, text: string): string => {
    writeFileSync(folder.file(name), text);
    return folder.file(name);
  };

  it("are refused in one line that tells no key", async () => {
    mkdirSync(folder.file("folder"));
    const refusals: (readonly [string, RegExp])[] = [
      [folder.file("missing"), /--api-key-file: there is no file/],
      [folder.file("folder"), /--api-key-file: there is no file/],
      [named("empty", ""), /holds no key/],
      [named("comments", `# ${FIRST}\n\n`), /holds no key/],
      [named("spaces", `${FIRST} ${SECOND}\n`), /must not be empty or hold spaces/],
      [named("large", `${FIRST}\n`.repeat(100_000)), /larger than/],
    ];
    for (const [file, message] of refusals) {
      const { code, stdout, stderr } = await serverRefusing([`--api-key-file=${file}`]);
      expect(code, file).toBe(2);
      expect(stderr).toMatch(message);
      expect(stderr.trim().split("\n")).toHaveLength(1);
      expect(stdout + stderr).not.toMatch(/first-key|second-key/);
    }
  });
});
