import type { ProbeResult } from "@onpar/sweep-runner";
import { afterAll, beforeAll, expect, test } from "vitest";
import { onpar, startServer, type RunningServer } from "../src/processes.ts";

let server: RunningServer;

beforeAll(async () => {
  server = await startServer(["--slots=1"]);
});

afterAll(async () => {
  expect(await server.stop()).toBe(0);
});

async function probe(url: string): Promise<ProbeResult> {
  const { code, stdout, stderr } = await onpar(["probe", url, "--json"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as ProbeResult;
}

const statusOf = ({ checks }: ProbeResult): Readonly<Record<string, string>> =>
  Object.fromEntries(checks.map(({ name, status }) => [name, status]));

test("onpar-server with the bundled pair is known, and keeps what a protocol relies on", async () => {
  const result = await probe(server.url);
  expect(result.engine).toMatchObject({ name: "onpar-server", confidence: "certain" });
  expect(result.contextLimit).toBe(8192);
  expect(statusOf(result)).toEqual({
    tokenize: "yes",
    "streaming usage": "yes",
    "reasoning field": "yes",
    ignore_eos: "yes",
    min_tokens: "yes",
    seed: "yes",
    "unknown keys": "no",
    chat_template_kwargs: "yes",
    template: "yes",
    "token ids of outputs": "yes",
    "token-id prompts": "yes",
    "prefix-cache reset": "unknown",
    acceptance: "yes",
    "draft budget": "yes",
    metrics: "yes",
  });
  expect(result.checks.find(({ name }) => name === "acceptance")?.seen).toMatch(
    /[1-9]\d* of [1-9]\d* in one/,
  );
  for (const { status, advice } of result.checks) expect(status !== "no" || advice !== null).toBe(true);
});

test("a strict server is seen to refuse keys that it does not know", async () => {
  const strict = await startServer(["--slots=1", "--strict", "--no-draft"]);
  try {
    const status = statusOf(await probe(strict.url));
    expect(status["unknown keys"]).toBe("yes");
    expect(status["draft budget"]).toBe("unknown");
  } finally {
    expect(await strict.stop()).toBe(0);
  }
});
