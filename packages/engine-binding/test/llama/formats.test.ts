import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadLlamaEngine, type Engine } from "../../src/index.ts";
import { DRAFT, generate, QUESTIONS, TARGET } from "./pair.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await loadLlamaEngine({ modelPath: TARGET, draftModelPath: DRAFT, contextSize: 1024, slots: 4 });
});
afterAll(() => engine.dispose());

const schema = {
  type: "object",
  properties: {
    colour: { enum: ["red", "green"] },
    sizes: { type: "array", items: { type: "integer" }, maxItems: 3 },
  },
  required: ["colour", "sizes"],
  additionalProperties: false,
};

/** Whether a value is one of these, as JSON. */
function isOneOf(values: readonly unknown[]): (value: unknown) => boolean {
  return (value) => values.some((one) => JSON.stringify(one) === JSON.stringify(value));
}

describe("output formats", () => {
  it.each([0, 0.9])("hold the output to a JSON schema at temperature %d", async (temperature) => {
    const outputs = await Promise.all(
      QUESTIONS.slice(0, 4).map((question, seed) =>
        generate(engine, question, {
          maxTokens: 120,
          sampling: { temperature, seed },
          format: { kind: "json-schema", schema },
        }),
      ),
    );
    for (const { text, finish } of outputs) {
      expect(finish.reason).toBe("eos");
      // nothing but the JSON
      expect(text).toMatch(/^\{.*\}$/s);
      const value: unknown = JSON.parse(text);
      expect(value).toMatchObject({
        colour: expect.stringMatching(/^(red|green)$/),
        sizes: expect.any(Array),
      });
      expect(finish.speculation).toBeNull();
    }
  });

  it("hold the output to alternatives, lists of types and optional values", async () => {
    const words = {
      type: "object",
      properties: { word: { type: "string", maxLength: 6 } },
      required: ["word"],
    };
    const schemas: [Record<string, unknown>, (value: unknown) => boolean][] = [
      [
        { anyOf: [{ type: "boolean" }, { const: "x" }] },
        (value) => typeof value === "boolean" || value === "x",
      ],
      [
        { type: ["object", "null"], properties: { a: { type: "integer", enum: [1] } }, required: ["a"] },
        isOneOf([null, { a: 1 }]),
      ],
      [{ allOf: [{ enum: ["a", "b"] }], description: "A letter" }, isOneOf(["a", "b"])],
      [{ $ref: "#/$defs/w", $defs: { w: words } }, (value) => JSON.stringify(value).startsWith('{"word":')],
      [
        { type: "object", properties: { a: { anyOf: [{ type: "null" }, { type: "boolean" }] } } },
        isOneOf([{ a: null }, { a: true }, { a: false }]),
      ],
    ];
    const seen: unknown[] = [];
    for (const [one, allows] of schemas) {
      for (const seed of [1, 2, 3, 4]) {
        const sampling = { temperature: 1.5, seed };
        const format = { kind: "json-schema" as const, schema: one };
        const { text, finish } = await generate(engine, QUESTIONS[0], { maxTokens: 80, sampling, format });
        expect(finish.reason, text).toBe("eos");
        const value: unknown = JSON.parse(text);
        expect(allows(value), `${JSON.stringify(one)}: ${text}`).toBe(true);
        seen.push(value);
      }
    }
    expect(seen.some((value) => value !== null)).toBe(true);
  });

  it("hold the output to a grammar", async () => {
    const { text } = await generate(engine, "Say yes or no.", {
      maxTokens: 20,
      format: { kind: "grammar", grammar: 'root ::= "yes" | "no"' },
    });
    expect(["yes", "no"]).toContain(text);
  });

  it("repeat themselves with the same seed", async () => {
    const sampled = () =>
      generate(engine, QUESTIONS[4], {
        maxTokens: 60,
        sampling: { temperature: 1, seed: 7, repetitionPenalty: 1.1 },
        format: { kind: "grammar", grammar: "root ::= [a-z ]+" },
      });
    const [first, second] = [await sampled(), await sampled()];
    expect(first.text).toMatch(/^[a-z ]+$/);
    expect(second.text).toBe(first.text);
  });

  it("are refused where they make no sense, by name", async () => {
    const refused = (options: object, message: RegExp) =>
      expect(generate(engine, [1], { maxTokens: 5, ...options })).rejects.toMatchObject({
        code: "ENGINE_INVALID_REQUEST",
        message: expect.stringMatching(message),
      });
    await refused(
      { format: { kind: "grammar", grammar: "root ::= (" } },
      /^format: llama\.cpp cannot use this grammar: line 1, column 10: this \( is not closed$/,
    );
    await refused(
      { format: { kind: "json-schema", schema: { type: "array", items: { $ref: "#/other" } } } },
      /^format: llama\.cpp cannot use this json-schema: #\/items\/\$ref: /,
    );
    await refused({ format: { kind: "regex", regex: "a" } }, /^format regex: .*json-schema, json, grammar/);
    await refused({ format: { kind: "json" }, ignoreEos: true }, /^ignoreEos/);
    await refused({ format: { kind: "json" }, minTokens: 2 }, /^minTokens/);
    await refused({ format: { kind: "grammar", grammar: "x".repeat(300_000) } }, /300000 characters/);
  });
});

describe("log-probabilities", () => {
  it("come with every output token, with and without drafts", async () => {
    const run = (speculate: boolean) =>
      generate(engine, QUESTIONS[3], { maxTokens: 30, logprobs: 3, speculate, ignoreEos: true });
    const drafted = await run(true);
    const alone = await run(false);
    expect(drafted.finish.speculation?.acceptedTokens).toBeGreaterThan(0);
    const flat = (output: typeof alone) => output.batches.flatMap(({ logprobs }) => [...(logprobs ?? [])]);
    expect(flat(drafted).map(({ tokenId }) => tokenId)).toEqual(drafted.ids);
    expect(drafted.ids).toEqual(alone.ids);
    for (const [index, { tokenId, logprob, top }] of flat(drafted).entries()) {
      expect(top.length).toBe(3);
      // greedy: the token chosen is the most probable one
      expect(top[0]).toEqual({ tokenId, logprob });
      expect(logprob).toBeLessThanOrEqual(0);
      expect(Math.exp(logprob)).toBeCloseTo(Math.exp(flat(alone)[index]?.logprob ?? 1), 3);
    }
  });

  it("give the token alone when no alternatives are asked for", async () => {
    const { batches } = await generate(engine, [5, 6], { maxTokens: 2, logprobs: 0, ignoreEos: true });
    expect(batches[0]?.logprobs?.[0]?.top).toEqual([]);
    const plain = await generate(engine, [5, 6], { maxTokens: 2, ignoreEos: true });
    expect(plain.batches[0]?.logprobs).toBeUndefined();
  });

  it("show what was left to choose from", async () => {
    const { batches } = await generate(engine, QUESTIONS[4], {
      maxTokens: 3,
      logprobs: 5,
      sampling: { temperature: 1, topK: 2, seed: 3 },
    });
    for (const { top } of batches.flatMap(({ logprobs }) => [...(logprobs ?? [])])) {
      expect(top.length).toBe(2);
      expect(top.reduce((sum, { logprob }) => sum + Math.exp(logprob), 0)).toBeCloseTo(1, 4);
    }
  });
});
