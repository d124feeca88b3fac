import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadLlamaEngine, type Engine } from "../src/index.ts";
import { conformanceChecks, type ConformanceSubject } from "../src/testing/index.ts";
import { chat, DRAFT, QUESTIONS, TARGET } from "./llama/pair.ts";
import { addonMissing, TestModel, type TestLibrary } from "./vllm/test-engine.ts";

function suite(name: string, subject: ConformanceSubject): void {
  describe(`${name}:`, () => {
    let engine: Engine;
    beforeAll(async () => {
      engine = await subject.load();
    });
    afterAll(() => engine.dispose());

    it.for(conformanceChecks)("$name", async (check, context) => {
      const reason = check.reasonToSkip(engine);
      if (reason !== null) context.skip(reason);
      await expect(check.run(engine, subject)).resolves.toBeUndefined();
    });
  });
}

const llama = {
  prompt: chat(QUESTIONS[4]),
  longPrompt: chat("Write a very long story about a lighthouse."),
  longTokens: 700,
};

describe("the llama.cpp engine conforms", () => {
  suite("without a draft", {
    ...llama,
    load: () => loadLlamaEngine({ modelPath: TARGET, slots: 2, threads: 1, contextSize: 1024 }),
  });
  suite("with a draft", {
    ...llama,
    load: () =>
      loadLlamaEngine({
        modelPath: TARGET,
        draftModelPath: DRAFT,
        draftTokens: 5,
        slots: 2,
        threads: 1,
        contextSize: 1024,
      }),
  });
});

describe.skipIf(addonMissing !== null)(`the vLLM engine conforms${addonMissing ?? ""}`, () => {
  const model = new TestModel(["step_us=1000", "accept=2,0,3"]);
  afterAll(() => model.remove());
  const speculativeConfig = JSON.stringify({ method: "ngram", num_speculative_tokens: 3 });
  for (const library of ["abi5", "abi12", "abi25", "abi30", "newer"] satisfies TestLibrary[]) {
    suite(`over ${library}`, {
      prompt: "three ships @{tokens=100} came sailing",
      longPrompt: "a long story @{us=4000} of ships",
      longTokens: 400,
      load: () =>
        model.load(library, { maxNumSeqs: 3, ...(library === "abi5" ? {} : { speculativeConfig }) }),
    });
  }
});
