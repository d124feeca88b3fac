import { describe, expect, it } from "vitest";
import type { GenerateRequest } from "../src/engine.ts";
import { checkRequest, type RequestLimits } from "../src/request.ts";

const limits: RequestLimits = {
  contextSize: 10,
  vocabularySize: 100,
  tokenize: (text) => Array.from({ length: text.length }, () => 1),
  capabilities: {
    tokenizer: true,
    tokenPrompts: true,
    addSpecial: "chosen",
    tokenIds: "streamed",
    finishReason: true,
    tokenCounts: true,
    speculationCounters: true,
    requestSpeculation: true,
    requestDraftBudget: true,
    chat: false,
    maxLogprobs: 5,
    outputFormats: ["json", "json-schema"],
    minTokens: true,
    stopTokenIds: true,
    ignoredEos: "passed",
    prefixCacheReset: true,
    requestCachePrompt: true,
  },
};
const check = (request: Partial<GenerateRequest>) =>
  checkRequest({ prompt: [1, 2, 3], maxTokens: 4, ...request }, limits);
const deep = (levels: number): Record<string, unknown> =>
  levels === 0 ? { type: "string" } : { items: deep(levels - 1) };

/** Requests of callers without types. */
const checkAny = (request: unknown) => checkRequest(Object(request), limits);

describe("checkRequest", () => {
  it("fills in the defaults", () => {
    expect(check({})).toEqual({
      prompt: [1, 2, 3],
      maxTokens: 4,
      minTokens: 0,
      ignoreEos: false,
      sampling: {},
      stop: [],
      stopTokenIds: [],
      cachePrompt: true,
      cacheSalt: null,
      speculate: true,
      draftBudget: null,
      logprobs: null,
      format: null,
    });
  });

  it.each<[object | undefined, RegExp]>([
    [undefined, /prompt must be a text or a list of token ids, got undefined/],
    [[], /a request is an object/],
    [{ prompt: null }, /prompt must be .*, got null/],
    [{ prompt: 5 }, /prompt must be .*, got 5/],
    [{ prompt: new DataView(new ArrayBuffer(8)) }, /prompt must be .*, got an object/],
    [{ stop: "x" }, /stop must be a list of texts, got "x"/],
    [{ stopTokenIds: 7 }, /stopTokenIds must be a list/],
    [{ sampling: 1 }, /sampling must be an object/],
    [{ cacheSalt: 5 }, /cacheSalt must be a text, got 5/],
    [{ ignoreEos: "false" }, /ignoreEos must be true or false, got "false"/],
    [{ format: "json" }, /format must be an object with kind, got "json"/],
    [{ format: { kind: "json-schema" } }, /format\.schema must be an object/],
    [{ format: { kind: "json-schema", schema: [] } }, /format\.schema must be an object/],
    [{ format: { kind: "grammar", grammar: 5 } }, /format\.grammar must be a text/],
  ])("refuses %j, which no type allows", (request, message) => {
    const whole =
      Array.isArray(request) || request === undefined ? request : { prompt: [1], maxTokens: 4, ...request };
    expect(() => checkAny(whole)).toThrow(
      expect.objectContaining({ code: "ENGINE_INVALID_REQUEST", message: expect.stringMatching(message) }),
    );
  });

  it("takes typed arrays, and of a schema what JSON has", () => {
    expect(checkAny({ prompt: Int32Array.of(1, 2), maxTokens: 1 }).prompt).toEqual([1, 2]);
    const schema = { type: "string", toString: () => "a function cannot be sent to a thread" };
    expect(checkAny({ prompt: [1], maxTokens: 1, format: { kind: "json-schema", schema } }).format).toEqual({
      kind: "json-schema",
      schema: { type: "string" },
    });
  });

  it.each<[string, Partial<GenerateRequest>, RegExp]>([
    ["an empty prompt", { prompt: [] }, /prompt is empty/],
    ["a token outside the vocabulary", { prompt: [1, 100] }, /prompt\[1\].*0 to 99: 100/],
    ["a token that is no integer", { prompt: [1.5] }, /prompt\[0\].*1\.5/],
    ["no output", { maxTokens: 0 }, /maxTokens.*got 0/],
    ["a maxTokens that is no number", { maxTokens: Number.NaN }, /maxTokens.*got NaN/],
    ["minTokens above maxTokens", { minTokens: 5 }, /minTokens.*\(4\), got 5/],
    ["an empty stop string", { stop: ["a", ""] }, /stop\[1\]/],
    ["too many stop strings", { stop: Array.from({ length: 65 }, () => "x") }, /65 strings, at most 64/],
    ["a stop token outside the vocabulary", { stopTokenIds: [-1] }, /stopTokenIds\[0\]/],
    ["a negative temperature", { sampling: { temperature: -1 } }, /sampling\.temperature.*got -1/],
    ["top-p 0", { sampling: { topP: 0 } }, /sampling\.topP must be a number above 0 and at most 1, got 0/],
    ["a broken top-k", { sampling: { topK: 1.5 } }, /sampling\.topK must be an integer/],
    [
      "repetition penalty 0",
      { sampling: { repetitionPenalty: 0 } },
      /repetitionPenalty must be a number above 0, got 0/,
    ],
    ["a negative draft budget", { draftBudget: -1 }, /draftBudget.*got -1/],
    ["more alternatives than there are", { logprobs: 6 }, /logprobs must be an integer from 0 to 5, got 6/],
    ["a schema that is nested too deep", { format: { kind: "json-schema", schema: deep(65) } }, /64 deep/],
    ["a seed that is no safe integer", { sampling: { seed: 2 ** 60 } }, /sampling\.seed/],
  ])("refuses %s", (_name, request, message) => {
    expect(() => check(request)).toThrow(
      expect.objectContaining({ code: "ENGINE_INVALID_REQUEST", message: expect.stringMatching(message) }),
    );
  });

  it("refuses what does not fit the context, naming all numbers", () => {
    const long = Array.from({ length: 10 }, () => 1);
    expect(() => check({ prompt: long })).toThrow(
      expect.objectContaining({
        code: "ENGINE_PROMPT_TOO_LONG",
        message: expect.stringMatching(/10 tokens.*context of 10/),
      }),
    );
    expect(() => check({ maxTokens: 8 })).toThrow(
      expect.objectContaining({
        code: "ENGINE_PROMPT_TOO_LONG",
        message: expect.stringMatching(/3 prompt tokens and maxTokens 8 make 11, .*10 tokens.*at most 7/),
      }),
    );
    expect(check({ maxTokens: 7 }).maxTokens).toBe(7);
  });
});
