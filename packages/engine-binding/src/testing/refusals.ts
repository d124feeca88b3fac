import assert from "node:assert/strict";
import type { GenerateRequest, SamplingOptions } from "../engine.ts";
import { EngineError, type EngineErrorCode } from "../errors.ts";
import { always, read, type ConformanceCheck } from "./check.ts";

export const refusalChecks: readonly ConformanceCheck[] = [
  {
    name: "refuses requests that cannot be meant",
    reasonToSkip: always,
    async run(engine, { prompt }) {
      const sampling = (options: SamplingOptions): Partial<GenerateRequest> => ({ sampling: options });
      const wrong: Partial<GenerateRequest>[] = [
        { prompt: "" },
        { maxTokens: 0 },
        { maxTokens: 1.5 },
        { minTokens: 9 },
        { stop: [""] },
        sampling({ temperature: -1 }),
        sampling({ topP: 0 }),
        sampling({ minP: 2 }),
        sampling({ repetitionPenalty: 0 }),
      ];
      for (const part of wrong) {
        await refused(
          () => read(engine, { prompt, maxTokens: 4, ...part }),
          ["ENGINE_INVALID_REQUEST"],
          part,
        );
      }
    },
  },
  {
    name: "refuses what it says that it cannot do",
    reasonToSkip: always,
    async run(engine, { prompt }) {
      const { capabilities, speculation } = engine.info;
      const asks: [boolean, Partial<GenerateRequest>][] = [
        [capabilities.maxLogprobs === null, { logprobs: 1 }],
        [!capabilities.stopTokenIds, { stopTokenIds: [1] }],
        [!capabilities.tokenPrompts, { prompt: [1, 2, 3] }],
        [!capabilities.requestCachePrompt, { cachePrompt: false }],
        [!capabilities.requestCachePrompt, { cacheSalt: "salt" }],
        [speculation !== null && !capabilities.requestDraftBudget, { draftBudget: 1 }],
        [
          !capabilities.outputFormats.includes("grammar"),
          { format: { kind: "grammar", grammar: 'root ::= "x"' } },
        ],
      ];
      for (const [cannot, part] of asks) {
        if (!cannot) continue;
        await refused(
          () => read(engine, { prompt, maxTokens: 4, ...part }),
          ["ENGINE_UNSUPPORTED", "ENGINE_INVALID_REQUEST"],
          part,
        );
      }
      if (!capabilities.tokenizer) {
        assert.throws(() => engine.tokenize("x"), { code: "ENGINE_UNSUPPORTED" });
        assert.throws(() => engine.detokenize([1]), { code: "ENGINE_UNSUPPORTED" });
      }
      if (!capabilities.prefixCacheReset) {
        await refused(() => engine.resetPrefixCache(), ["ENGINE_UNSUPPORTED"], "resetPrefixCache");
      }
    },
  },
  {
    name: "refuses a prompt that fills the context",
    reasonToSkip: ({ info }) =>
      info.contextSize !== null && info.capabilities.tokenPrompts
        ? null
        : "its context or its tokens are not known",
    async run(engine) {
      const prompt = Array.from({ length: engine.info.contextSize ?? 0 }, (_, index) => 10 + (index % 50));
      await refused(
        () => read(engine, { prompt, maxTokens: 4 }),
        ["ENGINE_PROMPT_TOO_LONG"],
        "a long prompt",
      );
    },
  },
];

async function refused(
  ask: () => Promise<unknown>,
  codes: readonly EngineErrorCode[],
  what: unknown,
): Promise<void> {
  await assert.rejects(ask, (error) => {
    assert.ok(error instanceof EngineError, `${JSON.stringify(what)}: ${String(error)}`);
    assert.ok(
      codes.includes(error.code),
      `${JSON.stringify(what)}: ${error.code} is not ${codes.join(" or ")}`,
    );
    assert.ok(!error.message.includes("\n"), "a message is one line");
    return true;
  });
}
