import { copyFile, mkdtemp, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadLlamaEngine } from "../../src/index.ts";
import { vocabularyMismatch } from "../../src/llama/model-info.ts";
import { importNodeLlama, type NodeLlama } from "../../src/llama/node-llama.ts";
import { DRAFT, generate, QUESTIONS, TARGET } from "./pair.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "engine-"));
});
afterAll(() => rm(folder, { recursive: true }));

describe("loading", () => {
  it("says what to install when the engine's package is missing", async () => {
    const missing = "node-llama-cpp-that-is-not-there";
    const load = () => import(/* @vite-ignore */ missing) as Promise<NodeLlama>;
    // vitest words a missing module in its own way: give it the code that Node gives
    const asNode = () =>
      load().catch((error: unknown) => {
        throw Object.assign(new Error(String(error)), { code: "ERR_MODULE_NOT_FOUND" });
      });
    await expect(importNodeLlama(asNode)).rejects.toMatchObject({
      code: "ENGINE_NOT_INSTALLED",
      message: expect.stringContaining("npm install node-llama-cpp@3.21.1"),
    });
    const broken = () => Promise.reject(new Error("bad binary"));
    await expect(importNodeLlama(broken)).rejects.toMatchObject({
      code: "ENGINE_NOT_INSTALLED",
      message: expect.stringContaining("bad binary"),
    });
  });

  it("names a file that is not there, not a file, no GGUF or a broken one", async () => {
    const text = join(folder, "text.gguf");
    await writeFile(text, "this is no model");
    const cut = join(folder, "cut.gguf");
    await copyFile(TARGET, cut);
    await truncate(cut, 2_000_000);
    const load = (modelPath: string) => loadLlamaEngine({ modelPath });
    const missing = join(folder, "none.gguf");
    await expect(load(missing)).rejects.toMatchObject({
      code: "ENGINE_MODEL_NOT_FOUND",
      message: `model not found: ${missing}`,
    });
    await expect(load(folder)).rejects.toMatchObject({ code: "ENGINE_MODEL_INVALID" });
    await expect(load(text)).rejects.toMatchObject({
      code: "ENGINE_MODEL_INVALID",
      message: expect.stringContaining(`not a GGUF file: ${text}`),
    });
    await expect(load(cut)).rejects.toMatchObject({
      code: "ENGINE_MODEL_INVALID",
      message: expect.stringMatching(/^model cut\.gguf cannot be loaded, because .+: .+/),
    });
    await expect(loadLlamaEngine({ modelPath: TARGET, draftModelPath: text })).rejects.toMatchObject({
      code: "ENGINE_MODEL_INVALID",
      message: expect.stringMatching(/^draft model/),
    });
  });

  it("refuses numbers that make no sense", async () => {
    const load = (options: object) => loadLlamaEngine({ modelPath: TARGET, ...options });
    await expect(load({ slots: 0 })).rejects.toMatchObject({
      code: "ENGINE_INVALID_OPTIONS",
      message: "slots must be an integer from 1 to 256, got 0",
    });
    await expect(load({ contextSize: 9000 })).rejects.toMatchObject({
      code: "ENGINE_INVALID_OPTIONS",
      message: expect.stringMatching(/9000.*8192/),
    });
    await expect(load({ memoryLimitBytes: Number.NaN })).rejects.toMatchObject({
      code: "ENGINE_INVALID_OPTIONS",
    });
  });

  it("refuses words that it does not know, instead of choosing itself", async () => {
    const load = (options: object) => loadLlamaEngine({ modelPath: TARGET, ...options });
    await expect(load({ gpu: "rocm" })).rejects.toMatchObject({
      code: "ENGINE_INVALID_OPTIONS",
      message: 'gpu must be one of auto, cuda, vulkan, metal, false, got "rocm"',
    });
    await expect(load({ promptLookup: true, draftLength: "long" })).rejects.toMatchObject({
      code: "ENGINE_INVALID_OPTIONS",
      message: 'draftLength must be one of fixed, adaptive, got "long"',
    });
    await expect(load({ modelPath: 3 })).rejects.toMatchObject({ code: "ENGINE_MODEL_NOT_FOUND" });
  });

  it("tells the log's reason of a file that lacks its end", async () => {
    const cut = join(folder, "end.gguf");
    await copyFile(TARGET, cut);
    const { size } = await stat(cut);
    await truncate(cut, size - 10);
    await expect(loadLlamaEngine({ modelPath: cut })).rejects.toMatchObject({
      code: "ENGINE_MODEL_INVALID",
      message: expect.stringMatching(/^model end\.gguf .*cut off.*not within the file bounds/),
    });
  });

  it("fails where the one who is told of progress does", async () => {
    const reason = new Error("no more space for dots");
    const onLoadProgress = () => {
      throw reason;
    };
    await expect(loadLlamaEngine({ modelPath: TARGET, onLoadProgress })).rejects.toBe(reason);
  });

  it("tells apart vocabularies that a draft cannot bridge", () => {
    expect(vocabularyMismatch(["a", "b"], ["a", "b"])).toBeNull();
    expect(vocabularyMismatch(["a", "b"], ["a"])).toBe("the target has 2 tokens and the draft 1");
    expect(vocabularyMismatch(["a", "b"], ["a", "c"])).toBe(
      'token 1 is "b" in the target and "c" in the draft',
    );
  });

  it("reports progress and gives up when told to", async () => {
    const fractions: number[] = [];
    const engine = await loadLlamaEngine({
      modelPath: TARGET,
      draftModelPath: DRAFT,
      contextSize: 256,
      onLoadProgress: (fraction) => fractions.push(fraction),
    });
    await engine.dispose();
    expect(fractions).toEqual([...fractions].sort((a, b) => a - b));
    expect(fractions.at(-1)).toBeCloseTo(1, 5);
    const reason = new Error("enough");
    await expect(loadLlamaEngine({ modelPath: TARGET, signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    );
  });
});

describe("dispose", () => {
  it("ends what runs and waits, can be called again, and leaves other engines alone", async () => {
    const other = await loadLlamaEngine({ modelPath: TARGET, contextSize: 512 });
    const engine = await loadLlamaEngine({ modelPath: TARGET, contextSize: 512 });
    const running = [0, 1].map(() => generate(engine, QUESTIONS[4], { maxTokens: 400, ignoreEos: true }));
    await new Promise((resolve) => setTimeout(resolve, 30));
    await Promise.all([engine.dispose(), engine.dispose()]);
    for (const { finish } of await Promise.all(running)) expect(finish.reason).toBe("abort");
    await engine[Symbol.asyncDispose]();
    expect(() => engine.tokenize("a")).toThrow(expect.objectContaining({ code: "ENGINE_DISPOSED" }));
    await expect(generate(engine, [1], { maxTokens: 1 })).rejects.toMatchObject({ code: "ENGINE_DISPOSED" });
    expect((await generate(other, QUESTIONS[3], { maxTokens: 5, ignoreEos: true })).ids.length).toBe(5);
    await other.dispose();
  });
});
