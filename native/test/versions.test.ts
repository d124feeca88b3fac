import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { testLibraries, testLibraryPath } from "../lib/build.js";
import { loadAddon, type ModelParams } from "../lib/index.js";
import { addonMissing, openTestLibrary, testModel, TestSession } from "./support.ts";

/** A value for every field, none like another. */
const VALUES: ModelParams = {
  tokenizer_config_path: "/tokenizer.json",
  block_size: 48,
  num_blocks: 77,
  max_model_len: 1234,
  max_num_seqs: 9,
  tool_parser: "hermes",
  reasoning_parser: "none",
  speculative_config: '{"num_speculative_tokens":3}',
  enable_prefix_caching: 2,
  max_num_batched_tokens: 2048,
  scheduling_policy: "lpm",
  kv_transfer_config: "{}",
  offload_config: '{"a":1}',
  enable_jump_forward: 1,
  disable_sliding_window: 2,
  device: 1,
  gpu_memory_utilization: 0.625,
  kv_cache_memory_bytes: 2 ** 40 + 1,
  language_model_only: 1,
  limit_mm_per_prompt: '{"image":2}',
  mmproj_path: "/mmproj.gguf",
  kv_cache_dtype: "fp8",
};

const VERSIONS = ["abi5", "abi12", "abi25", "abi30"] as const;

describe.skipIf(addonMissing !== null)(`a library of any version${addonMissing ?? ""}`, () => {
  const model = testModel();
  afterAll(() => model.remove());

  it.each(VERSIONS)("finds its load parameters where its own compiler put them: %s", async (name) => {
    const { abi } = testLibraries[name];
    const layout = loadAddon().paramsLayout(abi);
    const params = {
      model_path: model.path,
      ...Object.fromEntries(Object.entries(VALUES).filter(([field]) => field in layout.offsets)),
    };
    const session = await TestSession.loaded(openTestLibrary(name), params);
    const { text } = await session.ask((id) => session.engine.submit(id, "@{echo=params} x", {}));
    const { sizeof, ...seen } = JSON.parse(text) as Record<string, unknown>;
    expect(seen).toEqual(params);
    expect(sizeof).toBe(layout.size);
    await session.close();
  });

  it.each(VERSIONS)("is told nothing where nothing was set: %s", async (name) => {
    const session = await TestSession.loaded(openTestLibrary(name), { model_path: model.path });
    const { text } = await session.ask((id) => session.engine.submit(id, "@{echo=params} x", {}));
    const { model_path, sizeof, ...rest } = JSON.parse(text) as Record<string, unknown>;
    expect([model_path, typeof sizeof]).toEqual([model.path, "number"]);
    for (const value of Object.values(rest)) expect(value === null || value === 0).toBe(true);
    await session.close();
  });

  it.each(VERSIONS)("takes every sampling parameter: %s", async (name) => {
    const session = await TestSession.loaded(openTestLibrary(name), { model_path: model.path });
    const { text } = await session.ask((id) =>
      session.engine.submit(id, "@{echo=sampling} x", {
        temperature: 0.5,
        topP: 0.25,
        topK: 7,
        minP: 0.125,
        maxTokens: 33,
        seed: 2n ** 64n - 1n,
        presencePenalty: 1.5,
        frequencyPenalty: -0.5,
        repetitionPenalty: 1.25,
        minTokens: 3,
        ignoreEos: true,
        stop: ["end", "stop"],
        jsonSchema: '{"type":"object"}',
        grammar: 'root ::= "x"',
        jsonObject: true,
      }),
    );
    expect(JSON.parse(text)).toEqual({
      temperature: 0.5,
      top_p: 0.25,
      top_k: 7,
      min_p: 0.125,
      max_tokens: 33,
      seed: String(2n ** 64n - 1n),
      has_seed: 1,
      presence_penalty: 1.5,
      frequency_penalty: -0.5,
      repetition_penalty: 1.25,
      min_tokens: 3,
      ignore_eos: 1,
      n_stop: 2,
      first_stop: "end",
      structured_json: '{"type":"object"}',
      structured_grammar: 'root ::= "x"',
      structured_json_object: 1,
      ...(name === "abi5" ? {} : { logits_processor: 0 }),
    });
    await session.close();
  });

  it("names the functions that it lacks", () => {
    const missing = Object.fromEntries(VERSIONS.map((name) => [name, openTestLibrary(name).missing]));
    expect(missing).toEqual({
      abi5: ["vllm_complete_tokens", "vllm_engine_spec_acceptance"],
      abi12: ["vllm_complete_tokens", "vllm_engine_spec_acceptance"],
      abi25: [],
      abi30: [],
    });
  });

  it("refuses a load parameter of a later version by its name", () => {
    const load = (params: ModelParams) => () =>
      openTestLibrary("abi5").load({ model_path: model.path, ...params }, () => undefined);
    expect(load({ max_num_batched_tokens: 1 })).toThrow(
      "max_num_batched_tokens needs ABI version 9, and the library has 5",
    );
    expect(load({ no_such: 1 })).toThrow("no_such is not a load parameter");
    expect(load({ num_blocks: 1.5 })).toThrow("num_blocks must be an integer of 32 bits");
    expect(load({ num_blocks: "many" })).toThrow("num_blocks must be an integer of 32 bits");
    expect(load({ tool_parser: 3 })).toThrow("tool_parser must be a text without NUL");
  });

  it("is used as the newest one known when it is newer", async () => {
    const library = openTestLibrary("newer");
    expect(library.abiVersion).toBe(37);
    const session = await TestSession.loaded(library, { model_path: model.path, kv_cache_dtype: "fp8" });
    const { text } = await session.ask((id) => session.engine.submit(id, "@{echo=params} x", {}));
    expect(JSON.parse(text)).toMatchObject({ kv_cache_dtype: "fp8" });
    await session.close();
  });

  it("is refused when it is too old, lacks what is needed, or is none", () => {
    expect(() => openTestLibrary("tooOld")).toThrow("has ABI version 4; the oldest that can be used is 5");
    expect(() => openTestLibrary("withoutSubmit")).toThrow("it has no vllm_request_submit");
    expect(() => openTestLibrary("foreign")).toThrow(
      "is not libvllm: it has no vllm_abi_version, vllm_version",
    );
    expect(() => loadAddon().open(`${testLibraryPath("abi30")}.missing`)).toThrow(/cannot be opened/);
    expect(() => loadAddon().open(import.meta.filename)).toThrow(/cannot be opened/);
  });

  // a process of its own: where this is not refused, it ends with a bus error
  it.skipIf(process.platform !== "linux")("is refused when it is cut off, wherever", () => {
    const whole = readFileSync(testLibraryPath("abi30"));
    const cut = join(model.path, "cut.so");
    const script = `import { loadAddon } from ${JSON.stringify(new URL("../lib/index.js", import.meta.url))};
      try { loadAddon().open(process.argv[1]); } catch (error) { console.log(error.message); }`;
    for (const bytes of [100, 1000, Math.floor(whole.length / 3), Math.floor(whole.length / 2)]) {
      writeFileSync(cut, whole.subarray(0, bytes));
      const args = ["--input-type=module", "--eval", script, cut];
      const { status, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
      expect(stdout).toBe(`cannot be opened: the file is cut off at ${bytes} bytes\n`);
      expect(status).toBe(0);
    }
  });
});
