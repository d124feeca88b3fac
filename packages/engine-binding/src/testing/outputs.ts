import assert from "node:assert/strict";
import type { Engine } from "../engine.ts";
import { always, read, type ConformanceCheck } from "./check.ts";

/** A prompt of token ids that fits every vocabulary of more than a hundred tokens. */
const TOKENS = [11, 23, 37, 41, 59, 73];

export const outputChecks: readonly ConformanceCheck[] = [
  {
    name: "tokenizes and gives the text back",
    reasonToSkip: ({ info }) => (info.capabilities.tokenizer ? null : "it has no tokenizer to call"),
    run(engine) {
      const text = "A naïve sailor, 42 miles out: 漢字 🙂!";
      assert.equal(engine.detokenize(engine.tokenize(text)).trim(), text);
      return Promise.resolve();
    },
  },
  {
    name: "gives the same greedy text again",
    reasonToSkip: always,
    async run(engine, { prompt }) {
      const first = await read(engine, { prompt, maxTokens: 12 });
      const second = await read(engine, { prompt, maxTokens: 12 });
      assert.equal(second.text, first.text);
    },
  },
  {
    name: "gives the same sampled text for the same seed",
    reasonToSkip: always,
    async run(engine, { prompt }) {
      const sampling = { temperature: 0.9, seed: 20_260 };
      const first = await read(engine, { prompt, maxTokens: 12, ignoreEos: true, sampling });
      const second = await read(engine, { prompt, maxTokens: 12, ignoreEos: true, sampling });
      assert.equal(second.text, first.text);
    },
  },
  {
    name: "gives one token id per output token",
    reasonToSkip: withoutTokenIds,
    async run(engine) {
      const { ids, finish } = await read(engine, { prompt: TOKENS, maxTokens: 9, ignoreEos: true });
      assert.equal(ids?.length, 9);
      assert.equal(finish.outputTokens, 9);
      assert.equal(finish.promptTokens, TOKENS.length);
      assert.equal(finish.reason, "length");
    },
  },
  {
    name: "counts the tokens of text prompts",
    reasonToSkip: ({ info }) =>
      info.capabilities.tokenCounts ? null : "it does not count the tokens of a text",
    async run(engine, { prompt }) {
      const { finish } = await read(engine, { prompt, maxTokens: 5, ignoreEos: true });
      assert.equal(finish.outputTokens, 5);
      assert.ok((finish.promptTokens ?? 0) >= 1);
    },
  },
  {
    name: "gives log-probabilities that are some",
    reasonToSkip: ({ info }) =>
      info.capabilities.maxLogprobs === null ? "it gives no log-probabilities" : null,
    async run(engine, { prompt }) {
      const top = Math.min(3, engine.info.capabilities.maxLogprobs ?? 0);
      const { batches } = await read(engine, { prompt, maxTokens: 6, ignoreEos: true, logprobs: top });
      const entries = batches.flatMap((batch) => {
        assert.equal(batch.logprobs?.length ?? 0, batch.tokenIds?.length ?? 0);
        return (batch.logprobs ?? []).map((entry, index) => ({ entry, id: batch.tokenIds?.[index] }));
      });
      assert.equal(entries.length, 6);
      for (const { entry, id } of entries) {
        assert.equal(entry.tokenId, id);
        assert.ok(entry.logprob <= 0);
        assert.equal(entry.top.length, top);
        const falling = entry.top.map((one) => one.logprob);
        assert.deepEqual(
          falling,
          falling.toSorted((a, b) => b - a),
        );
        // greedy: the most probable token is the one that was chosen
        assert.equal(entry.top[0]?.tokenId, id);
      }
    },
  },
  {
    name: "holds an output to JSON",
    reasonToSkip: ({ info }) =>
      info.capabilities.outputFormats.includes("json-schema") ? null : "it cannot hold an output to a schema",
    async run(engine, { prompt }) {
      const schema = {
        type: "object",
        properties: { answer: { type: "integer" } },
        required: ["answer"],
        additionalProperties: false,
      };
      const { text } = await read(engine, { prompt, maxTokens: 64, format: { kind: "json-schema", schema } });
      const parsed: unknown = JSON.parse(text);
      assert.ok(typeof parsed === "object" && parsed !== null && "answer" in parsed);
      assert.deepEqual(Object.keys(parsed), ["answer"]);
      assert.ok(Number.isInteger(parsed.answer));
    },
  },
];

function withoutTokenIds({ info }: Engine): string | null {
  if (!info.capabilities.tokenPrompts) return "it takes no token ids";
  return info.capabilities.tokenIds === null ? "it gives no token ids" : null;
}
