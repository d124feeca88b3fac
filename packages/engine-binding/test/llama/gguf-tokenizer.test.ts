import { existsSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadGgufTokenizer, loadLlamaEngine, type GgufTokenizer } from "../../src/index.ts";
import { TARGET } from "./pair.ts";

const GOLDEN = new URL("../../../../../shared/models/tokenizer-golden.json", import.meta.url);
const TEXTS = [
  "Hello world",
  " leading and trailing ",
  "two  spaces, a\ttab\nand a line",
  "naïve café, 数字 and 🙂",
  "<|im_start|>user\nhi<|im_end|>\n",
];

describe("the tokenizer of a GGUF file alone", () => {
  let tokenizer: GgufTokenizer;
  beforeAll(async () => {
    tokenizer = await loadGgufTokenizer(TARGET);
  });
  afterAll(() => tokenizer.dispose());

  it("counts as the engine does that loads all of the file", async () => {
    const engine = await loadLlamaEngine({ modelPath: TARGET, contextSize: 128 });
    try {
      for (const text of TEXTS) {
        expect(tokenizer.tokenize(text)).toEqual(
          engine.tokenize(text, { addSpecial: false, parseSpecial: false }),
        );
        expect(tokenizer.tokenize(text, { parseSpecial: true })).toEqual(
          engine.tokenize(text, { addSpecial: false, parseSpecial: true }),
        );
      }
    } finally {
      await engine.dispose();
    }
  });

  it("gives the text back", () => {
    for (const text of TEXTS) {
      const ids = tokenizer.tokenize(text, { parseSpecial: true });
      expect(tokenizer.detokenize(ids, { renderSpecial: true })).toBe(text);
    }
  });

  it.skipIf(!existsSync(GOLDEN))("gives the ids that the model was trained with", () => {
    const golden = JSON.parse(readFileSync(GOLDEN, "utf8")) as { text: string; ids: number[] }[];
    expect(golden.length).toBeGreaterThan(10);
    for (const { text, ids } of golden)
      expect(tokenizer.tokenize(text, { parseSpecial: true }), text).toEqual(ids);
  });
});

it("says which file is no model", async () => {
  await expect(loadGgufTokenizer("/nowhere/model.gguf")).rejects.toMatchObject({
    code: "ENGINE_MODEL_NOT_FOUND",
  });
  await expect(loadGgufTokenizer(new URL(import.meta.url).pathname)).rejects.toMatchObject({
    code: "ENGINE_MODEL_INVALID",
  });
});
