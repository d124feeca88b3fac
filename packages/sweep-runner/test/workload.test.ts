import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { countTokens } from "./support/bench-server.ts";
import { config } from "./support/config.ts";
import { codes, run, runError, withFolder } from "./support/run.ts";
import { sendJson } from "./support/scripted-server.ts";
import { bodyOf, serversOfEachTest } from "./support/servers.ts";

const { benchServer } = serversOfEachTest();

type Server = Awaited<ReturnType<typeof benchServer>>;

const promptsOf = (server: Server): string[] =>
  server.completions.map((request) => String(bodyOf(request)["prompt"]));

describe("generated prompts", () => {
  it("have lengths drawn around the one asked for, each exact, the same for the same seed", async () => {
    const server = await benchServer();
    const settings = config(server.url, { inputLen: 60, numPrompts: 12, dataset: { rangeRatio: 0.5 } });
    const result = await run(settings);
    const lengths = promptsOf(server).map(countTokens);
    expect(Math.min(...lengths)).toBeGreaterThanOrEqual(30);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(90);
    expect(new Set(lengths).size).toBeGreaterThan(5);
    expect(codes(result)).not.toContain("input-length-missed");
    expect((await run(settings)).protocol.workload).toEqual(result.protocol.workload);
  });

  it("share a prefix of exact length inside their group, before text of their own", async () => {
    const server = await benchServer();
    const dataset = { kind: "shared-prefix" as const, sharedPrefixLen: 40, prefixGroups: 2 };
    await run(config(server.url, { inputLen: 20, numPrompts: 6, dataset }));
    const prompts = promptsOf(server);
    expect(prompts.map(countTokens)).toEqual(prompts.map(() => 60));
    const heads = prompts.map((text) => text.split(/\s+/).slice(0, 15).join(" "));
    expect(new Set(heads).size).toBe(2);
    expect(heads[0]).toBe(heads[2]);
    expect(new Set(prompts).size).toBe(6);
  });

  it("of source code begin with a tag, hold the length within its tolerance and end with the task", async () => {
    const server = await benchServer();
    const dataset = { kind: "source-code" as const, task: "Write a test for the code above." };
    const result = await run(config(server.url, { inputLen: 300, numPrompts: 3, dataset }));
    for (const text of promptsOf(server)) {
      expect(text).toMatch(/^\[run 0-\d\]\n/);
      expect(text.endsWith("\n\nWrite a test for the code above.")).toBe(true);
      const context = text.slice(0, text.lastIndexOf("\n\nWrite"));
      expect(Math.abs(countTokens(context) - 300)).toBeLessThanOrEqual(8);
    }
    expect(codes(result)).not.toContain("input-length-missed");
  });
});

describe("rows of a file", () => {
  async function file<T>(lines: readonly unknown[], use: (path: string) => Promise<T>): Promise<T> {
    return withFolder(async (folder) => {
      const path = join(folder, "rows.jsonl");
      await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
      return use(path);
    });
  }

  it("are shuffled by the seed and taken again where that was asked for", async () => {
    const server = await benchServer();
    const rows = Array.from({ length: 5 }, (_, index) => ({ prompt: `row ${index}` }));
    await file(rows, async (datasetPath) => {
      const dataset = { shuffle: true, oversample: true };
      const result = await run(config(server.url, { datasetPath, dataset, numPrompts: 8 }));
      const prompts = promptsOf(server);
      expect(new Set(prompts.slice(0, 5)).size).toBe(5);
      expect(prompts.slice(0, 5)).not.toEqual(rows.map(({ prompt }) => prompt));
      expect(prompts.slice(5)).toEqual(prompts.slice(0, 3));
      expect(codes(result)).toContain("prompts-repeat");
      const error = await runError(run(config(server.url, { datasetPath, numPrompts: 8 })));
      expect(error.code).toBe("DATASET_INVALID");
    });
  });

  it("of an OpenAI batch are the bodies of its lines", async () => {
    const server = await benchServer();
    const lines = [
      { custom_id: "a", method: "POST", url: "/v1/completions", body: { prompt: "one two" } },
      { custom_id: "b", method: "POST", url: "/v1/completions", body: { prompt: "three" } },
    ];
    await file(lines, async (datasetPath) => {
      const dataset = { kind: "openai-batch" as const };
      await run(config(server.url, { datasetPath, dataset, numPrompts: 2 }));
      expect(promptsOf(server)).toEqual(["one two", "three"]);
    });
    await file([{ prompt: "no batch" }], async (datasetPath) => {
      const dataset = { kind: "openai-batch" as const };
      const error = await runError(run(config(server.url, { datasetPath, dataset, numPrompts: 1 })));
      expect(error.message).toMatch(/rows\.jsonl:1: .*"body"/);
    });
  });

  it("begin with a nonce of their own in every run, and are the same workload all the same", async () => {
    const server = await benchServer();
    await file([{ prompt: "alpha" }, { prompt: "beta" }], async (datasetPath) => {
      const settings = config(server.url, { datasetPath, numPrompts: 2, cache: { policy: "nonce" } });
      const [one, two] = [await run(settings), await run(settings)];
      const prompts = promptsOf(server);
      expect(new Set(prompts).size).toBe(4);
      expect(prompts.every((text) => /^\[run [0-9a-f]{8}-\d\]\n(alpha|beta)$/.test(text))).toBe(true);
      expect(one.protocol.workload.sha256).toBe(two.protocol.workload.sha256);
    });
  });
});

describe("the cache policy", () => {
  it("nonce draws generated text anew, of the same exact lengths, as the same workload", async () => {
    const server = await benchServer();
    const settings = config(server.url, { inputLen: 30, numPrompts: 2, cache: { policy: "nonce" } });
    const [one, two] = [await run(settings), await run(settings)];
    expect(new Set(promptsOf(server)).size).toBe(4);
    expect(promptsOf(server).map(countTokens)).toEqual([30, 30, 30, 30]);
    expect(one.protocol.workload.sha256).toBe(two.protocol.workload.sha256);
  });

  it("reset empties the cache before each repetition, by the request that the server knows", async () => {
    const server = await benchServer({
      routes: { "/flush_cache": (_, response) => sendJson(response, 200, {}) },
    });
    await run(config(server.url, { numPrompts: 2, cache: { policy: "reset" }, repetition: { reps: 2 } }));
    const order = server.requests.map(({ path }) => path).filter((path) => /flush|completions/.test(path));
    expect(order.map((path) => (path === "/flush_cache" ? "reset" : "send"))).toEqual([
      "reset",
      "reset",
      "send",
      "send",
      "reset",
      "send",
      "send",
    ]);
  });

  it("reset is refused by name before anything is sent where the server cannot", async () => {
    const server = await benchServer();
    const error = await runError(run(config(server.url, { cache: { policy: "reset" } })));
    expect(error.code).toBe("TARGET_INVALID");
    expect(error.message).toMatch(/--cache reset: .*\/flush_cache answered 404.*nonce/);
    expect(server.completions).toHaveLength(0);
  });
});
