import { describe, expect, it } from "vitest";
import { monotonicClock, startTimeline } from "../src/clock.ts";
import { openServerTarget } from "../src/targets/open-target.ts";
import { config } from "./support/config.ts";
import { codes, run, runError } from "./support/run.ts";
import { sendJson } from "./support/scripted-server.ts";
import { bodyOf, serversOfEachTest } from "./support/servers.ts";

const { benchServer } = serversOfEachTest();

/** A tokenizer that gives each word the number of its first place. */
const withIds = () => {
  const known = new Map<string, number>();
  return benchServer({
    routes: {
      "/tokenize": ({ body }, response) => {
        const { prompt = "" } = JSON.parse(body) as { prompt?: string };
        const tokens = prompt.split(/\s+/).map((word) => {
          const id = known.get(word) ?? 1000 + known.size;
          known.set(word, id);
          return id;
        });
        sendJson(response, 200, { count: tokens.length, tokens });
      },
    },
  });
};

const idsOf = (request: { readonly body: string }): number[] => bodyOf(request)["prompt"] as number[];

describe("prompts of token ids", () => {
  it("have exactly their length, no two begin alike, and are the same for the same seed", async () => {
    const server = await withIds();
    const settings = config(server.url, { dataset: { kind: "random-ids" }, inputLen: 40, numPrompts: 6 });
    await run(settings);
    const prompts = server.completions.map(idsOf);
    expect(prompts.map(({ length }) => length)).toEqual([40, 40, 40, 40, 40, 40]);
    expect(new Set(prompts.map(([first]) => first)).size).toBe(6);
    expect(prompts.flat().every((id) => Number.isInteger(id) && id >= 1000)).toBe(true);
    expect(server.completions.every((request) => !("add_special_tokens" in bodyOf(request)))).toBe(true);
    await run(settings);
    expect(server.completions.slice(6).map(idsOf)).toEqual(prompts);
  });

  it("share prefixes of exact length", async () => {
    const server = await withIds();
    const dataset = { kind: "random-ids" as const, sharedPrefixLen: 16 };
    await run(config(server.url, { dataset, inputLen: 8, numPrompts: 3 }));
    const prompts = server.completions.map(idsOf);
    expect(prompts.map(({ length }) => length)).toEqual([24, 24, 24]);
    expect(new Set(prompts.map((ids) => ids.slice(0, 16).join())).size).toBe(1);
    expect(new Set(prompts.map((ids) => ids[16])).size).toBe(3);
  });

  it("are refused by name where no tokenizer tells ids", async () => {
    const server = await benchServer();
    const error = await runError(run(config(server.url, { dataset: { kind: "random-ids" } })));
    expect(error.code).toBe("TARGET_INVALID");
    expect(error.message).toMatch(/random-ids needs a tokenizer .*use random-text/);
    expect(server.completions).toHaveLength(0);
  });
});

const prompt = { id: "p", kind: "ids" as const, ids: [5, 6, 7] };

function bodyAt(
  endpoint:
    | "completions"
    | "chat-completions"
    | "responses"
    | "ollama-chat"
    | "llama-completion"
    | "sglang-generate",
) {
  const { target } = openServerTarget({
    config: config("http://127.0.0.1:1", { target: { endpoint } }),
    apiKey: null,
    root: "http://127.0.0.1:1",
    headers: {},
    ca: null,
    timeoutMs: 1000,
    timeline: startTimeline(monotonicClock),
    model: "m",
    engine: null,
    bosText: "<s>",
  });
  return target.describe(target.prepare(prompt));
}

describe("each interface", () => {
  it("that takes ids is sent them in its own field", () => {
    expect(bodyAt("completions")["prompt"]).toEqual([5, 6, 7]);
    expect(bodyAt("llama-completion")["prompt"]).toEqual([5, 6, 7]);
    const sglang = bodyAt("sglang-generate");
    expect(sglang["input_ids"]).toEqual([5, 6, 7]);
    expect(sglang).not.toHaveProperty("text");
  });

  it.each(["chat-completions", "responses", "ollama-chat"] as const)(
    "refuses them by name: %s",
    (endpoint) => {
      expect(() => bodyAt(endpoint)).toThrow(new RegExp(`token ids, and ${endpoint} takes messages`));
    },
  );
});

describe("a hit rate", () => {
  it("is a shared prefix of that share, warmed up before the first measured request", async () => {
    const server = await benchServer({ cachedShare: 0.6 });
    const dataset = { kind: "shared-prefix" as const, hitRate: 0.6, prefixGroups: 2 };
    const settings = config(server.url, { dataset, inputLen: 50, numPrompts: 4, warmupRequests: 1 });
    const result = await run(settings);
    const prompts = server.completions.map((request) => String(bodyOf(request)["prompt"]));
    // A warm-up request, one more for each prefix, and those that are measured.
    expect(prompts).toHaveLength(1 + 2 + 4);
    const measured = prompts.slice(3);
    const head = (text: string): string => text.split(/\s+/).slice(0, 12).join(" ");
    expect(new Set(measured.map(head)).size).toBe(2);
    expect(new Set(prompts.slice(0, 3).map(head))).toEqual(new Set(measured.map(head)));
    expect(new Set(prompts).size).toBe(prompts.length);
    expect(codes(result).filter((code) => /hit|cache/.test(code))).toEqual([]);
    expect(result.summary.cachedPromptTokens).toBe(120);
  });

  it("that was not reached, or that nobody can see, is said", async () => {
    const dataset = { kind: "shared-prefix" as const, hitRate: 0.5 };
    const cold = await benchServer({ cachedShare: 0.1 });
    expect(codes(await run(config(cold.url, { dataset, inputLen: 40 })))).toContain("hit-rate-missed");
    const silent = await benchServer({ usage: false });
    const result = await run(config(silent.url, { dataset, inputLen: 40 }));
    expect(codes(result)).not.toContain("hit-rate-missed");
  });
});

describe("several metrics pages", () => {
  it("are read together, their counters added up", async () => {
    const extra = await benchServer();
    const server = await benchServer({ acceptedPerStep: 2 });
    const target = { metricsUrls: [`${extra.url}/metrics`] };
    const result = await run(config(server.url, { target, outputLen: 7 }));
    expect(result.summary.acceptance).toMatchObject({ source: "metrics-delta", acceptedTokens: 16 });
    expect(extra.requests.filter(({ path }) => path === "/metrics").length).toBeGreaterThanOrEqual(2);
    expect(codes(result)).not.toContain("foreign-traffic");
  });

  it("of which one is missing are named", async () => {
    const server = await benchServer();
    const target = { metricsUrls: [`${server.url}/gone`] };
    const result = await run(config(server.url, { target }));
    const finding = result.findings.find(({ code }) => code === "metrics-unreadable");
    expect(finding?.message).toContain("/gone");
  });
});
