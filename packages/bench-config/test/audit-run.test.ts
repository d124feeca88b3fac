import { describe, expect, test } from "vitest";
import { auditCodes, auditRun, declaredProtocol, StoppingRuleAudit } from "../src/index.ts";
import type { AuditCode, OutputObservation, PartialProtocol, RunObservations } from "../src/index.ts";
import { configOf } from "./support.ts";

function outputs(...lengths: [tokens: number | null, raw: string | null][]): OutputObservation[] {
  return lengths.map(([outputTokens, raw]) => ({
    outputTokens,
    finish: { raw, reason: raw === "length" || raw === "stop" ? raw : "unknown" },
  }));
}

const exact: PartialProtocol = {
  stoppingRule: { name: "ignore-eos", cap: 8, sent: { ignore_eos: true, max_tokens: 8 } },
};
const eos: PartialProtocol = { stoppingRule: { name: "eos", cap: 8, sent: { max_tokens: 8 } } };

/** Each code once at least, with the words of its message. */
const cases: readonly [AuditCode, string, PartialProtocol, RunObservations, RegExp][] = [
  [
    "cap-exceeded",
    "breach",
    exact,
    { outputs: outputs([9, "length"], [8, "length"]) },
    /^1 of 2 outputs are longer than the cap of 8 tokens \(up to 9\)$/,
  ],
  [
    "min-tokens-not-kept",
    "breach",
    { stoppingRule: { name: "fixed", cap: 8 } },
    { outputs: outputs([7, "stop"], [8, "length"]) },
    /^1 of 2 outputs are shorter than min_tokens = 8 \(stop: 1\)$/,
  ],
  [
    "eos-not-ignored",
    "breach",
    exact,
    { outputs: outputs([3, "stop"], [8, "length"]) },
    /^the server did not obey ignore_eos: 1 of 2 outputs ended before the cap of 8 \(stop: 1\)$/,
  ],
  [
    "eos-not-ignored",
    "breach",
    exact,
    { outputs: outputs([8, "stop"]) },
    /ended for another reason than their length \(stop: 1\)$/,
  ],
  ["eos-not-ignored", "breach", exact, { outputs: outputs([null, "stop"]) }, /ended for another reason/],
  [
    "cap-decided",
    "warning",
    eos,
    { outputs: outputs([8, "length"], [8, "length"]) },
    /^all 2 outputs have the cap of 8 tokens/,
  ],
  [
    "endpoint-differs",
    "breach",
    { endpoint: "completions" },
    { endpoints: { "/v1/completions": 48, "/v1/chat/completions": 2 } },
    /^requests were to go to completions, and went 2 to \/v1\/chat\/completions$/,
  ],
  [
    "prompt-length-differs",
    "breach",
    declaredProtocol(configOf({})),
    { promptTokens: { min: 700, p50: 712, max: 730 } },
    /^prompts of 512 tokens were asked for, and the server counts 700\/712\/730 \(min\/p50\/max\)$/,
  ],
  [
    "template-applied",
    "breach",
    { template: { mode: "none" } },
    { promptOverhead: { min: 20, max: 24 } },
    /up to 24 tokens beyond their text$/,
  ],
  [
    "template-not-applied",
    "breach",
    { template: { mode: "server-side" } },
    { promptOverhead: { min: 1, max: 1 } },
    /^a chat template was to be applied \(server-side\), and the server counts only 1 tokens/,
  ],
  [
    "concurrency-not-reached",
    "warning",
    declaredProtocol(configOf({ concurrency: 8 })),
    { peakConcurrency: 5 },
    /^8 requests were to be in flight, and at most 5 were$/,
  ],
  [
    "concurrency-exceeded",
    "breach",
    declaredProtocol(configOf({ concurrency: 8 })),
    { peakConcurrency: 9 },
    /^at most 8 requests were to be in flight, and 9 were$/,
  ],
  [
    "concurrency-exceeded",
    "breach",
    declaredProtocol(configOf({ load: { rate: 5, maxInFlight: 8 } })),
    { peakConcurrency: 9 },
    /^at most 8/,
  ],
  [
    "rate-not-reached",
    "warning",
    declaredProtocol(configOf({ load: { kind: "constant", rate: 200 } })),
    { sentPerS: 183.5 },
    /^200 requests\/s were asked for, and 183.5 were sent$/,
  ],
  [
    "rate-exceeded",
    "breach",
    declaredProtocol(configOf({ load: { kind: "constant", rate: 10 } })),
    { sentPerS: 11 },
    /^10 requests\/s/,
  ],
  [
    "cache-not-cold",
    "warning",
    { cache: { policy: "nonce" } },
    { cache: { promptTokens: 1000, cachedTokens: 400 } },
    /^40 % of the prompt tokens came from the prefix cache, in spite of the policy nonce$/,
  ],
  [
    "drafting-unseen",
    "breach",
    { speculation: { method: "eagle3" } },
    { drafting: { draftTokens: 0, verifySteps: 0 } },
    /^speculation is stated \(eagle3\), and nothing was drafted$/,
  ],
  [
    "drafting-undeclared",
    "breach",
    { speculation: { method: "off" } },
    { drafting: { draftTokens: 9, verifySteps: 3 } },
    /^speculation was to be off, and 9 tokens/,
  ],
  [
    "draft-budget-exceeded",
    "breach",
    { speculation: { method: "draft", draftBudget: 2 } },
    { drafting: { draftTokens: 9, verifySteps: 3 } },
    /more than the stated budget of 2 a step$/,
  ],
  [
    "requests-unaccounted",
    "breach",
    {},
    { requests: { asked: 10, ok: 8, failed: 1, other: 0 } },
    /^10 requests were asked for, but 8 ended well, 1 failed/,
  ],
  [
    "not-observed",
    "note",
    declaredProtocol(configOf({})),
    {},
    /^stated, and not shown by anything that was seen: stopping rule, endpoint, prompt lengths, template, concurrency$/,
  ],
];

describe("disagreements are findings", () => {
  test.each(cases)("%s (%s)", (code, severity, protocol, observations, message) => {
    const found = auditRun(protocol, observations).filter((finding) => finding.code === code);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ severity, message: expect.stringMatching(message) as string });
  });

  test("every code is made by one of them", () => {
    expect(new Set(cases.map(([code]) => code))).toEqual(new Set(Object.keys(auditCodes)));
  });
});

test("a run that is as stated has no finding", () => {
  const config = configOf({
    concurrency: 4,
    speculation: { method: "draft", draftTokens: 5 },
    cache: { policy: "reset" },
  });
  const observations: RunObservations = {
    outputs: outputs([128, "length"], [128, null]),
    endpoints: { completions: 50 },
    promptTokens: { min: 511, p50: 513, max: 514 },
    promptOverhead: { min: 0, max: 1 },
    peakConcurrency: 4,
    cache: { promptTokens: 25_600, cachedTokens: 0 },
    drafting: { draftTokens: 10, verifySteps: 2 },
    requests: { asked: 50, ok: 50, failed: 0, other: 0 },
  };
  expect(auditRun(declaredProtocol(config), observations)).toEqual([]);
});

describe("what is no disagreement", () => {
  test("nothing is judged that the protocol leaves unknown", () => {
    const observations: RunObservations = {
      outputs: outputs([3, "stop"]),
      endpoints: { "/v1/completions": 1 },
      promptTokens: { min: 1, p50: 2, max: 3 },
      promptOverhead: { min: 0, max: 99 },
      peakConcurrency: 4,
      sentPerS: 3,
      cache: { promptTokens: 10, cachedTokens: 10 },
      drafting: { draftTokens: 10, verifySteps: 1 },
    };
    expect(auditRun({}, observations)).toEqual([]);
  });

  test("an adaptive draft length may be none, and is a method of its own", () => {
    const protocolWith = (draftLength: string) =>
      declaredProtocol(
        configOf({
          target: { endpoint: "engine" },
          engine: { modelPath: "m.gguf", draftModelPath: "d.gguf", draftLength },
        }),
      );
    const drafting = { draftTokens: 0, verifySteps: 0 };
    const codes = (draftLength: string) =>
      auditRun(protocolWith(draftLength), { drafting }).map(({ code }) => code);
    expect(codes("adaptive")).not.toContain("drafting-unseen");
    expect(codes("fixed")).toContain("drafting-unseen");
    expect(protocolWith("adaptive").speculation).toMatchObject({ method: "adaptive draft", draftBudget: 5 });
    expect(protocolWith("fixed").speculation).toMatchObject({ method: "draft" });
  });

  test("random arrivals are not held to their rate more closely than chance allows", () => {
    const codes = (kind: string, sentPerS: number, asked: number) =>
      auditRun(declaredProtocol(configOf({ load: { kind, rate: 100 }, numPrompts: asked })), {
        sentPerS,
        requests: { asked, ok: asked, failed: 0, other: 0 },
      }).map(({ code }) => code);
    expect(codes("poisson", 80, 100)).not.toContain("rate-not-reached");
    expect(codes("poisson", 80, 10_000)).toContain("rate-not-reached");
    expect(codes("constant", 80, 100)).toContain("rate-not-reached");
  });

  test("fewer requests than slots cannot fill them", () => {
    const protocol = declaredProtocol(configOf({ concurrency: 64, numPrompts: 10 }));
    expect(auditRun(protocol, { peakConcurrency: 10 }).map(({ code }) => code)).not.toContain(
      "concurrency-not-reached",
    );
  });

  test("a template adds to the length that was asked for", () => {
    const protocol = declaredProtocol(configOf({ target: { endpoint: "chat-completions" } }));
    const seen = (p50: number) =>
      auditRun(protocol, { promptTokens: { min: p50, p50, max: p50 } }).map(({ code }) => code);
    expect(seen(560)).not.toContain("prompt-length-differs");
    expect(seen(300)).toContain("prompt-length-differs");
  });

  test("requests may have caps of their own", () => {
    const audit = new StoppingRuleAudit({ name: "ignore-eos", cap: 8 });
    audit.add({ outputTokens: 20, finish: { raw: "length", reason: "length" }, cap: 20 });
    expect([audit.count, audit.findings()]).toEqual([1, []]);
  });
});

test("a million outputs are read once, and kept nowhere", () => {
  function* many(): Generator<OutputObservation> {
    const output = { outputTokens: 8, finish: { raw: "length", reason: "length" } };
    for (let index = 0; index < 1_000_000; index++) {
      yield output;
    }
  }
  expect(auditRun(exact, { outputs: many() })).toEqual([]);
});
