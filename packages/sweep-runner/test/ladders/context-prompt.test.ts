import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  contextPrompt,
  contextTolerance,
  fitRungs,
  sourceCharsFor,
} from "../../src/ladders/context-prompt.ts";
import { readSourceText } from "../../src/ladders/source-text.ts";
import { runError, withFolder } from "../support/run.ts";

/** Counts words and marks, as a tokenizer would more or less. */
function counter() {
  let asked = 0;
  return {
    source: "server" as const,
    asked: () => asked,
    count: async (text: string) => {
      asked++;
      return text.match(/\w+|[^\w\s]/g)?.length ?? 0;
    },
  };
}

describe("a context", () => {
  it.each([256, 2048, 20_000])(
    "of %i tokens is right within the comparator's tolerance in 12 steps",
    async (target) => {
      const counting = counter();
      const source = await readSourceText(null, sourceCharsFor(target), 1);
      const prompt = await contextPrompt({
        id: "a",
        tag: "x1",
        source,
        target,
        task: "Go on.",
        counter: counting,
      });
      expect(Math.abs((prompt.contextTokens ?? 0) - target)).toBeLessThanOrEqual(contextTolerance(target));
      expect(counting.asked()).toBeLessThanOrEqual(12);
      expect(prompt.text).toMatch(/^\[run x1\]\n/);
      expect(prompt.text.endsWith("\n\nGo on.")).toBe(true);
      expect(prompt.bytes).toBe(Buffer.byteLength(prompt.text));
      // What was counted is what stands before the task.
      const context = prompt.text.slice(0, -"\n\nGo on.".length);
      expect(await counting.count(context)).toBe(prompt.contextTokens);
    },
  );

  it("without a tokenizer says nothing of its length", async () => {
    const prompt = await contextPrompt({
      id: "a",
      tag: "t",
      source: "x".repeat(9000),
      target: 100,
      task: "",
      counter: null,
    });
    expect(prompt.contextTokens).toBeNull();
    expect(prompt.text).toHaveLength("[run t]\n".length + 350);
  });

  it("of a source that is too short comes as near as it can, and tells what it came to", async () => {
    const prompt = await contextPrompt({
      id: "a",
      tag: "t",
      source: "one two",
      target: 900,
      task: "",
      counter: counter(),
    });
    expect("[run t]\none two".startsWith(prompt.text)).toBe(true);
    expect(prompt.contextTokens).toBe(6);
  });
});

describe("rungs", () => {
  it("are cut to the context limit: the room itself in place of the first that is above it", () => {
    expect(fitRungs([512, 8192, 2048], null, 600)).toEqual([512, 2048, 8192]);
    expect(fitRungs([512, 2048, 8192, 16_384], 4096, 600)).toEqual([512, 2048, 3496]);
    expect(fitRungs([512, 2048], 4096, 600)).toEqual([512, 2048]);
    expect(fitRungs([512, 3496, 8192], 4096, 600)).toEqual([512, 3496]);
    expect(fitRungs([512], 300, 600)).toEqual([]);
  });
});

describe("source code", () => {
  it("is made the same for a seed on every machine, and differs by the seed", async () => {
    const made = await readSourceText(null, 5000, 3);
    expect(made).toHaveLength(5000);
    expect(await readSourceText(null, 9000, 3)).toContain(made);
    expect(await readSourceText(null, 5000, 4)).not.toBe(made);
  });

  it("is read from a file, or from the sources of a folder in the order of their paths", async () => {
    await withFolder(async (folder) => {
      await mkdir(join(folder, "node_modules", "x"), { recursive: true });
      await writeFile(join(folder, "b.py"), "second");
      await writeFile(join(folder, "a.ts"), "first");
      await writeFile(join(folder, "c.bin"), "no source");
      await writeFile(join(folder, "node_modules", "x", "d.js"), "not ours");
      expect(await readSourceText(folder, 1000, 0)).toBe("first\nsecond\n");
      expect(await readSourceText(join(folder, "a.ts"), 3, 0)).toBe("fir");
      await writeFile(join(folder, "cut.md"), "aä€");
      expect(await readSourceText(join(folder, "cut.md"), 2, 0)).toBe("aä");
    });
  });

  it("that is not there, or holds none, is refused by its path", async () => {
    await withFolder(async (folder) => {
      expect((await runError(readSourceText(join(folder, "gone"), 10, 0))).message).toMatch(
        /cannot read source code from .*gone/,
      );
      expect((await runError(readSourceText(folder, 10, 0))).message).toMatch(/holds no source code/);
    });
  });
});
