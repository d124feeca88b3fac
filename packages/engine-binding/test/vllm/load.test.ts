import { copyFileSync, rmSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { loadVllmEngine, type VllmEngineOptions } from "../../src/index.ts";
import { importAddon } from "../../src/vllm/addon.ts";
import { speculationInfo } from "../../src/vllm/speculation.ts";
import { addonMissing, testLibrary, TestModel, type TestLibrary } from "./test-engine.ts";

describe("an addon that is not there", () => {
  it("is told with what to install", async () => {
    const missing = Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
    await expect(importAddon(() => Promise.reject(missing))).rejects.toMatchObject({
      code: "ENGINE_NOT_INSTALLED",
      message:
        "the vLLM engine needs the package @onpar/vllm-addon: npm install @onpar/vllm-addon (with -g beside a command that was installed with -g)",
    });
  });

  it("is told with how to build it", async () => {
    const message = "@onpar/vllm-addon has no build for plan9-mips: build it with npx onpar-vllm-addon";
    const unbuilt = Object.assign(new Error(message), { code: "ADDON_MISSING" });
    await expect(importAddon(() => Promise.reject(unbuilt))).rejects.toMatchObject({
      code: "ENGINE_NOT_INSTALLED",
      message,
    });
  });

  it("is told with what is wrong with it", async () => {
    await expect(importAddon(() => Promise.reject(new Error("GLIBC_2.99 not found")))).rejects.toMatchObject({
      code: "ENGINE_NOT_INSTALLED",
      message: "@onpar/vllm-addon is installed but cannot be loaded: GLIBC_2.99 not found",
    });
  });
});

describe("a speculative configuration", () => {
  it.each([
    ['{"method":"ngram","num_speculative_tokens":4}', { method: "ngram", draftModel: null, draftBudget: 4 }],
    [
      '{"model":"/m/small","num_speculative_tokens":3}',
      { method: "draft-model", draftModel: "small", draftBudget: 3 },
    ],
    ['{"method":"deepseek_mtp","num_speculative_tokens":1}', { method: "draft-head", draftBudget: 1 }],
    ['{"method":"suffix","num_speculative_tokens":8}', { method: "other", draftBudget: 8 }],
  ])("%s is told as what it is", (config, info) => {
    expect(speculationInfo(config)).toMatchObject(info);
  });

  it.each([
    ["{", /not JSON/],
    ["[]", /must be a JSON object/],
    ["{}", /num_speculative_tokens, an integer of at least 1, got none/],
    ['{"num_speculative_tokens":0}', /got 0/],
  ])("%s is refused", (config, message) => {
    expect(() => speculationInfo(config)).toThrow(message);
  });
});

describe.skipIf(addonMissing !== null)(`loading with libvllm${addonMissing ?? ""}`, () => {
  const model = new TestModel();
  const failing = new TestModel(["load_error=weights of layer 3 are missing"]);
  const slow = new TestModel(["load_ms=300"]);
  afterAll(() => {
    for (const one of [model, failing, slow]) one.remove();
  });

  it("tells of the model what its files say", async () => {
    const notes: string[] = [];
    const engine = await model.load("abi30", { onNote: (note) => notes.push(note) });
    expect(engine.info).toMatchObject({
      engine: "libvllm",
      engineVersion: "0.0.0+test-engine (ABI 30)",
      contextSize: 4096,
      slots: 8,
      threads: null,
      gpu: null,
      vocabularySize: 1001,
      eosTokenIds: [1000],
      addsBos: false,
      specialTokens: { eos_token: "<end>" },
      speculation: null,
    });
    expect(notes).toEqual([]);
    await engine.dispose();
  });

  it("says what a library of another version lacks, or has too much", async () => {
    const notesOf = async (
      name: TestLibrary,
      options: Partial<VllmEngineOptions> = {},
    ): Promise<string[]> => {
      const notes: string[] = [];
      const engine = await model.load(name, { ...options, onNote: (note) => notes.push(note) });
      await engine.dispose();
      return notes;
    };
    const speculativeConfig = '{"method":"ngram","num_speculative_tokens":2}';
    expect(await notesOf("abi12", { speculativeConfig })).toEqual([
      "libvllm (ABI 12) has no vllm_complete_tokens: prompts of token ids and output token ids cannot be had",
      "libvllm (ABI 12) has no vllm_engine_spec_acceptance: the acceptance of draft tokens is not counted",
    ]);
    expect(await notesOf("newer")).toEqual([
      "libvllm has ABI version 37, newer than the 30 that @onpar/vllm-addon was written for: it is used as that one",
    ]);
  });

  it.each<[string, () => Partial<VllmEngineOptions>, string, RegExp]>([
    [
      "no library",
      () => ({ libraryPath: "/no/such/lib.so" }),
      "ENGINE_LIBRARY_NOT_FOUND",
      /\/no\/such\/lib\.so/,
    ],
    ["a folder", () => ({ libraryPath: model.path }), "ENGINE_LIBRARY_INVALID", /not a file/],
    [
      "another library",
      () => ({ libraryPath: testLibrary("foreign") }),
      "ENGINE_LIBRARY_INVALID",
      /is not libvllm/,
    ],
    [
      "an old library",
      () => ({ libraryPath: testLibrary("tooOld") }),
      "ENGINE_LIBRARY_INVALID",
      /ABI version 4/,
    ],
    ["a text", () => ({ libraryPath: import.meta.filename }), "ENGINE_LIBRARY_INVALID", /cannot be opened/],
    [
      "no library in the system",
      () => ({ libraryPath: undefined }),
      "ENGINE_LIBRARY_NOT_FOUND",
      /give the path/,
    ],
    ["no model", () => ({ modelPath: "/no/such/model" }), "ENGINE_MODEL_NOT_FOUND", /\/no\/such\/model/],
    ["a model that fails", () => ({ modelPath: failing.path }), "ENGINE_MODEL_INVALID", /weights of layer 3/],
    [
      "a block size",
      () => ({ blockSize: 20 }),
      "ENGINE_INVALID_OPTIONS",
      /blockSize must be a multiple of 16/,
    ],
    ["no block", () => ({ numBlocks: 0 }), "ENGINE_INVALID_OPTIONS", /numBlocks/],
    [
      "too much memory",
      () => ({ gpuMemoryUtilization: 1.5 }),
      "ENGINE_INVALID_OPTIONS",
      /gpuMemoryUtilization/,
    ],
    [
      "what came later",
      () => ({ libraryPath: testLibrary("abi5"), maxNumBatchedTokens: 64 }),
      "ENGINE_INVALID_OPTIONS",
      /^maxNumBatchedTokens needs ABI version 9, and the library has 5$/,
    ],
    [
      "what came much later",
      () => ({ libraryPath: testLibrary("abi12"), kvCacheDtype: "fp8" }),
      "ENGINE_INVALID_OPTIONS",
      /^kvCacheDtype needs ABI version 24/,
    ],
  ])("refuses %s in one line", async (_what, options, code, message) => {
    const load = loadVllmEngine({ libraryPath: testLibrary("abi30"), modelPath: model.path, ...options() });
    await expect(load).rejects.toMatchObject({ code, message: expect.stringMatching(message) as string });
    await expect(load).rejects.not.toMatchObject({ message: expect.stringContaining("\n") as string });
  });

  it("refuses words that it does not know", async () => {
    const load = (options: object) =>
      loadVllmEngine({ libraryPath: testLibrary("abi30"), modelPath: model.path, ...options });
    const refused = (message: string) => ({ code: "ENGINE_INVALID_OPTIONS", message });
    await expect(load({ device: "tpu" })).rejects.toMatchObject(
      refused('device must be one of auto, cpu, cuda, got "tpu"'),
    );
    await expect(load({ enablePrefixCaching: "no" })).rejects.toMatchObject(
      refused('enablePrefixCaching must be true or false, got "no"'),
    );
  });

  it("takes a library by its name in the working folder for that file", async () => {
    copyFileSync(testLibrary("abi30"), "libvllm-here.so");
    try {
      const engine = await loadVllmEngine({ libraryPath: "libvllm-here.so", modelPath: model.path });
      expect(engine.info.engineVersion).toContain("ABI 30");
      await engine.dispose();
    } finally {
      rmSync("libvllm-here.so");
    }
  });

  it("gives the wait up when its signal aborts", async () => {
    const controller = new AbortController();
    const load = slow.load("abi30", { signal: controller.signal });
    setTimeout(() => controller.abort(new Error("enough")), 20);
    await expect(load).rejects.toThrow("enough");
    await expect(slow.load("abi30", { signal: AbortSignal.abort(new Error("too late")) })).rejects.toThrow(
      "too late",
    );
  });

  it("hands every option to the library", async () => {
    const engine = await model.load("abi30", {
      blockSize: 64,
      numBlocks: 100,
      maxModelLen: 512,
      maxNumSeqs: 3,
      maxNumBatchedTokens: 256,
      kvCacheDtype: "fp8",
      enablePrefixCaching: false,
      schedulingPolicy: "lpm",
      device: "cpu",
      gpuMemoryUtilization: 0.5,
      kvCacheMemoryBytes: 1024,
      toolParser: "hermes",
      reasoningParser: "none",
      speculativeConfig: '{"method":"ngram","num_speculative_tokens":2}',
    });
    let text = "";
    for await (const batch of engine.generate({ prompt: "@{echo=params} x", maxTokens: 1 }))
      text += batch.text;
    expect(JSON.parse(text)).toMatchObject({
      block_size: 64,
      num_blocks: 100,
      max_model_len: 512,
      max_num_seqs: 3,
      max_num_batched_tokens: 256,
      kv_cache_dtype: "fp8",
      enable_prefix_caching: 2,
      scheduling_policy: "lpm",
      device: 1,
      gpu_memory_utilization: 0.5,
      kv_cache_memory_bytes: 1024,
      tool_parser: "hermes",
      reasoning_parser: "none",
      speculative_config: '{"method":"ngram","num_speculative_tokens":2}',
    });
    expect(engine.info).toMatchObject({ contextSize: 512, slots: 3, speculation: { draftBudget: 2 } });
    await engine.dispose();
  });
});
