import { existsSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import type { BenchConfigInput } from "@onpar/bench-config";
import { demoModel } from "@onpar/demo-model";
import { loadGgufTokenizer } from "@onpar/engine-binding";
import { loadLocalTokenizer } from "../src/local-tokenizer.ts";
import { readRecords } from "../src/records/read-records.ts";
import type { RunBenchOptions } from "../src/run-bench.ts";
import { startBenchServer, type BenchServerOptions } from "./support/bench-server.ts";
import { config } from "./support/config.ts";
import { codes, run, runError, withFolder } from "./support/run.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

async function server(options: BenchServerOptions = {}): Promise<string> {
  const started = await startBenchServer({ naturalLength: 100, ...options });
  closing.push(() => started.close());
  return started.url;
}

const turn = (from: string, value: string) => ({ from, value });
/** Recorded answers of 3, 1, 5 and no tokens, where each word is one. */
const ROWS = [
  {
    id: "a",
    conversations: [turn("human", "say three"), turn("gpt", "one two three"), turn("human", "more")],
  },
  { id: "b", conversations: [turn("system", "s"), turn("human", "say one"), turn("gpt", "one")] },
  { id: "c", conversations: [turn("human", "say five"), turn("gpt", "a b c d e")] },
  { id: "d", conversations: [turn("human", "unanswered")] },
];

/** Runs over a ShareGPT file and tells the cap that each prompt was sent with, null for that of the run. */
async function caps(
  url: string,
  changes: BenchConfigInput = {},
  options: Partial<RunBenchOptions> = {},
): Promise<{ caps: Record<string, number | null>; outputs: Record<string, number | null>; found: string[] }> {
  return withFolder(async (folder) => {
    const datasetPath = `${folder}/sharegpt.json`;
    const output = `${folder}/records.jsonl`;
    await writeFile(datasetPath, JSON.stringify(ROWS));
    const { dataset, ...rest } = changes;
    const result = await run(
      config(url, {
        datasetPath,
        dataset: { kind: "sharegpt", recordedLengths: true, ...dataset },
        outputLen: 8,
        output,
        ...rest,
      }),
      options,
    );
    const records = (await readRecords(output)).flatMap((one) => one.records);
    return {
      caps: Object.fromEntries(records.map((one) => [one.promptId, one.plannedOutputTokens])),
      outputs: Object.fromEntries(records.map((one) => [one.promptId, one.outputTokens])),
      found: codes(result),
    };
  });
}

describe("outputs as long as the recorded answers", () => {
  it("are capped at their tokens by the server's tokenizer; the others at the cap of the run", async () => {
    const seen = await caps(await server());
    expect(seen.caps).toEqual({ a: 3, b: 1, c: 5, d: null });
    // EOS is ignored, so outputs are exactly as long.
    expect(seen.outputs).toEqual({ a: 3, b: 1, c: 5, d: 8 });
    expect(seen.found).toContain("own-caps");
    expect(seen.found).not.toContain("eos-not-ignored");
  });

  it("hold for every turn that is played", async () => {
    const seen = await caps(await server(), {
      target: { endpoint: "chat-completions" },
      dataset: { turns: 2 },
      numPrompts: 3,
    });
    expect(seen.caps).toEqual({ "a-turn-0": 3, "a-turn-1": null, "b-turn-0": 1, "c-turn-0": 5 });
  });

  it("are counted by a tokenizer on this side where the server has none", async () => {
    await withFolder(async (folder) => {
      const tokenizer = `${folder}/model`;
      await mkdir(tokenizer);
      await writeFile(`${tokenizer}/tokenizer.json`, JSON.stringify(WORDS));
      // "three" is no word of its vocabulary, and has five letters.
      const seen = await caps(await server({ tokenizes: false }), { tokenizer });
      expect(seen.caps).toEqual({ a: 7, b: 1, c: 5, d: null });
    });
  });

  it("are counted by a GGUF file", async () => {
    const tokenizer = demoModel.target.path;
    const own = await loadGgufTokenizer(tokenizer);
    closing.push(() => own.dispose());
    const expected = ["one two three", "one", "a b c d e"].map((text) => own.tokenize(text).length);
    const seen = await caps(await server({ tokenizes: false }), { tokenizer }, { loadGgufTokenizer });
    expect(seen.caps).toEqual({ a: expected[0], b: expected[1], c: expected[2], d: null });
  });

  it("need somebody who counts", async () => {
    const error = await runError(caps(await server({ tokenizes: false })));
    expect(error.code).toBe("TOKENIZER_INVALID");
    expect(error.message).toContain("--tokenizer");
  });

  it("say that a tokenizer is not there, also where the server counts", async () => {
    const error = await runError(caps(await server(), { tokenizer: "/nowhere/model" }));
    expect(error.code).toBe("TOKENIZER_INVALID");
    expect(error.message).toBe("--tokenizer /nowhere/model counts no tokens: no such file");
  });

  it("say that a folder holds no tokenizer", async () => {
    await withFolder(async (folder) => {
      const error = await runError(caps(await server({ tokenizes: false }), { tokenizer: folder }));
      expect(error.code).toBe("TOKENIZER_INVALID");
      expect(error.message).toBe(
        `--tokenizer ${folder} counts no tokens: the folder holds no tokenizer.json`,
      );
    });
  });

  it("need rows that record answers", async () => {
    await withFolder(async (folder) => {
      const datasetPath = `${folder}/rows.jsonl`;
      await writeFile(datasetPath, '{"prompt": "a"}\n{"prompt": "b"}\n');
      const url = await server();
      const settings = { datasetPath, dataset: { recordedLengths: true }, numPrompts: 2 };
      const error = await runError(run(config(url, settings)));
      expect(error.code).toBe("DATASET_INVALID");
      expect(error.message).toContain("records an answer");
    });
  });
});

it("generated prompts are fitted by a tokenizer on this side where the server has none", async () => {
  const url = await server({ tokenizes: false });
  const settings = { tokenizer: demoModel.target.path, inputLen: 40, numPrompts: 3, outputLen: 2 };
  const unfitted = codes(await run(config(url, { ...settings, tokenizer: null })));
  expect(unfitted).toContain("input-length-unfitted");
  const fitted = await run(config(url, settings), { loadGgufTokenizer });
  expect(codes(fitted)).not.toContain("input-length-unfitted");
  expect(codes(fitted)).not.toContain("input-length-missed");
});

describe("a tokenizer on this side", () => {
  it.each<[string, string | null, string]>([
    ["nowhere.gguf", null, "nothing that reads a GGUF file"],
    ["nowhere", null, "no such file"],
    ["notes.txt", "words", "name a GGUF file, or a folder with tokenizer.json"],
    ["tokenizer.json", "{", "JSON"],
    ["tokenizer.json", "[]", 'it has no "model"'],
    ["tokenizer.json", '{"model": {"type": "Unheard"}}', "counts no tokens"],
  ])("%s with the text %j is refused in one line", async (name, text, why) => {
    await withFolder(async (folder) => {
      if (text !== null) await writeFile(`${folder}/${name}`, text);
      const error = await runError(loadLocalTokenizer(`${folder}/${name}`, null));
      expect(error.code).toBe("TOKENIZER_INVALID");
      expect(error.message).toContain(why);
    });
  });

  const folder = fileURLToPath(new URL("../../../../shared/models/hf-target", import.meta.url));
  const golden = fileURLToPath(new URL("../../../../shared/models/tokenizer-golden.json", import.meta.url));
  it.skipIf(!existsSync(golden))("gives the ids that the bundled model was trained with", async () => {
    const tokenizer = await loadLocalTokenizer(folder, null);
    for (const { text, ids } of JSON.parse(readFileSync(golden, "utf8")) as {
      text: string;
      ids: number[];
    }[])
      expect(await tokenizer.ids?.(text), text).toEqual(ids);
  });
});

/** A vocabulary of a few words, with white space between tokens. */
const WORDS = {
  version: "1.0",
  added_tokens: [],
  normalizer: null,
  pre_tokenizer: { type: "WhitespaceSplit" },
  post_processor: null,
  decoder: null,
  model: {
    type: "BPE",
    vocab: Object.fromEntries(
      ["?", ..."abcdefghijklmnopqrstuvwxyz".split(""), "on", "one", "tw", "two"].map((word, id) => [
        word,
        id,
      ]),
    ),
    merges: ["o n", "on e", "t w", "tw o"],
    unk_token: "?",
  },
};
