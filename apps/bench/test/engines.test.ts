import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { demoModel } from "@onpar/demo-model";
import { afterAll, describe, expect, it } from "vitest";

import { onpar } from "./fake-env.ts";

const folder = mkdtempSync(path.join(tmpdir(), "onpar-engines-"));
const inFolder = (name: string) => path.join(folder, name);
const library = (abi: number) =>
  fileURLToPath(
    new URL(
      `../../../native/build/abi${abi}-${process.platform}-${process.arch}/libvllm.so`,
      import.meta.url,
    ),
  );
const skipped = existsSync(library(30))
  ? null
  : " (skipped: no C++ compiler, so no library stands in for libvllm)";
writeFileSync(inFolder("test-engine.txt"), "test-engine\nstep_us=200\naccept=2,0\n");
writeFileSync(
  inFolder("config.json"),
  '{"vocab_size":1001,"eos_token_id":1000,"max_position_embeddings":4096}',
);
writeFileSync(inFolder("tokenizer_config.json"), '{"add_bos_token":false}');
writeFileSync(
  inFolder("prompts.jsonl"),
  '{"prompt":"one ship"}\n{"prompt":"two ships"}\n{"prompt":"three ships"}\n',
);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const llama = (...flags: string[]) => [
  "run",
  "--engine",
  "llama",
  "--model",
  demoModel.target.path,
  ...flags,
];
const vllm = (abi: number, ...flags: string[]) => [
  "run",
  "--engine=vllm",
  `--lib=${library(abi)}`,
  `--model=${folder}`,
  `--dataset-path=${inFolder("prompts.jsonl")}`,
  "--num-prompts=3",
  "--output-len=12",
  ...flags,
];

interface Result {
  readonly summary: {
    readonly counts: Record<string, number>;
    readonly acceptance: { readonly acceptedTokens: number; readonly draftTokens: number } | null;
  };
}

describe("a flag that the engine cannot honour", () => {
  it.each([
    [llama("--num-blocks=4"), "--num-blocks: cannot be honoured: llama.cpp has no blocks"],
    [llama("--kv-cache-dtype=fp8"), "--kv-cache-dtype: cannot be honoured: llama.cpp keeps its cache"],
    [
      llama('--speculative-config={"method":"eagle"}'),
      "--speculative-config: cannot be honoured: llama.cpp speculates with a draft model",
    ],
    [
      llama('--speculative-config={"method":"ngram","prompt_lookup_max":4}'),
      "--speculative-config: cannot be honoured: llama.cpp speculates without prompt_lookup_max",
    ],
    [
      llama('--speculative-config={"method":"ngram","num_speculative_tokens":100}'),
      "--speculative-config: num_speculative_tokens must be an integer from 1 to 64, got 100",
    ],
    [
      llama("--draft-model=draft.gguf", '--speculative-config={"method":"ngram"}'),
      "--speculative-config: says what drafts, and so does --draft-model",
    ],
    [
      vllm(30, "--draft-length=adaptive", '--speculative-config={"method":"ngram"}'),
      "--draft-length: cannot be honoured: the C ABI of libvllm has no such choice",
    ],
    [vllm(30, "--gpu=vulkan"), "--gpu: cannot be honoured: libvllm computes on the CPU or by CUDA"],
    [
      vllm(30, "--threads=auto"),
      "--threads: cannot be honoured: the C ABI of libvllm has no number of threads",
    ],
    [vllm(30, "--threads=2"), "--threads: cannot be honoured: the C ABI of libvllm has no number of threads"],
    [
      vllm(30, "--output-token-ids=ids.jsonl"),
      "--output-token-ids: cannot be honoured: the C ABI of libvllm streams text",
    ],
  ])("is refused by name: %s", async (argv, says) => {
    const { code, stderr } = await onpar(argv);
    expect(stderr).toContain(`onpar: ${says}`);
    expect(code).toBe(2);
  });
});

describe("llama.cpp in process", () => {
  it("writes the token ids of every output, and takes vllm-bench's flags", async () => {
    const file = inFolder("ids.jsonl");
    const { code, stderr } = await onpar(
      llama(
        "--num-prompts=3",
        "--output-len=8",
        `--dataset-path=${inFolder("prompts.jsonl")}`,
        "--max-num-batched-tokens=64",
        '--speculative-config={"method":"ngram","num_speculative_tokens":3}',
        `--output-token-ids=${file}`,
        "--quiet",
      ),
    );
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const lines = readFileSync(file, "utf8").trim().split("\n");
    const outputs = lines.map((line) => JSON.parse(line) as { prompt_id: string; token_ids: number[] });
    expect(outputs.length).toBeGreaterThanOrEqual(3);
    for (const { token_ids: ids } of outputs) expect(ids).toHaveLength(8);
  });
});

describe.skipIf(skipped !== null)(`libvllm in process${skipped ?? ""}`, () => {
  it("is benched, and what it does not tell is not made up", async () => {
    const { code, stdout } = await onpar(
      vllm(
        30,
        '--speculative-config={"method":"ngram","num_speculative_tokens":3}',
        "--num-blocks=64",
        "--json",
        "--quiet",
      ),
    );
    expect(code).toBe(0);
    const result = JSON.parse(stdout) as Result;
    expect(result.summary.counts).toMatchObject({ ok: 3, failed: 0 });
    expect(result.summary.acceptance?.draftTokens).toBeGreaterThan(0);
  });

  it("is reported without what nobody told, and with what is known", async () => {
    const speculation = '--speculative-config={"method":"ngram","num_speculative_tokens":3}';
    // version 12 does not count what it drafts
    const { code, stdout } = await onpar(vllm(12, speculation, "--ignore-eos"));
    expect(code).toBe(0);
    expect(stdout).not.toContain("engine threads");
    expect(stdout).toMatch(/model folder +\S/);
    expect(stdout).toMatch(/speculative config +\{"method":"ngram","num_speculative_tokens":3\}/);
    expect(stdout).toContain("the engine does not count what it drafts");
    // nothing but the cap can end these outputs
    expect(stdout).toMatch(/lengths +min 12, p50 12, max 12 tokens/);
  });

  it("names the flag that its version is too old for", async () => {
    const { code, stderr } = await onpar(vllm(5, "--max-num-batched-tokens=64"));
    expect(stderr).toContain("--max-num-batched-tokens needs ABI version 9, and the library has 5");
    expect(code).toBe(2);
  });

  it("is looked for by the path given", async () => {
    const { code, stderr } = await onpar([
      "run",
      "--engine=vllm",
      "--lib=/no/such/libvllm.so",
      `--model=${folder}`,
    ]);
    expect(stderr).toMatch(/libvllm not found: \/no\/such\/libvllm\.so/);
    expect(code).toBe(2);
  });
});
