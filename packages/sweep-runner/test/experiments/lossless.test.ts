import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { armToText, readArm, type LosslessOutput } from "../../src/experiments/lossless/arm.ts";
import { compareArms } from "../../src/experiments/lossless/compare-arms.ts";
import { checkCopy } from "../../src/experiments/fixed-output.ts";
import { FIXED_CLASS } from "../../src/experiments/fixed-class.ts";
import { runError, withFolder } from "../support/run.ts";

function output(promptId: string, words: readonly string[], gap: number | null = null): LosslessOutput {
  return {
    promptId,
    text: words.join(""),
    tokens: words,
    logprobs: words.map(() => -0.5),
    // The rival of each place: the same word in capitals, so much less probable.
    top:
      gap === null
        ? null
        : words.map((word) => [
            { token: word, logprob: -0.5 },
            { token: word.toUpperCase(), logprob: -0.5 - gap },
          ]),
    finish: "stop",
  };
}

describe("two arms", () => {
  const arm = (name: string, ...outputs: LosslessOutput[]) => ({ name, outputs });

  it("are compared prompt by prompt; a tie that rounding decides is told from a real difference", () => {
    const off = arm(
      "off",
      output("same", ["a", "b"], 1),
      output("tie", ["a", "b", "c"], 0.1),
      output("real", ["a", "b"], 2),
    );
    const on = arm(
      "on",
      output("real", ["a", "B"], 3),
      output("tie", ["a", "B", "d"], 0.2),
      output("same", ["a", "b"], 1),
    );
    const result = compareArms(off, on);
    expect(result).toMatchObject({ a: "off", b: "on", compared: 3, identical: 1, unpaired: [] });
    expect(result.divergences).toEqual([
      {
        promptId: "tie",
        token: 1,
        character: 1,
        a: "b",
        b: "B",
        gap: expect.closeTo(0.1),
        verdict: "near-tie",
      },
      { promptId: "real", token: 1, character: 1, a: "b", b: "B", gap: expect.closeTo(2), verdict: "real" },
    ]);
  });

  it("part at the end of the shorter one where the other goes on", () => {
    const result = compareArms(arm("a", output("p", ["x"], 1)), arm("b", output("p", ["x", "y"], 1)));
    expect(result.divergences[0]).toMatchObject({
      token: 1,
      character: 1,
      a: "",
      b: "y",
      verdict: "unknown",
    });
  });

  it("without tokens part at a character, told by code points, with the reason unknown", () => {
    const text = (promptId: string, whole: string): LosslessOutput => ({
      promptId,
      text: whole,
      tokens: null,
      logprobs: null,
      top: null,
      finish: null,
    });
    const result = compareArms(arm("a", text("p", "👍 good")), arm("b", text("p", "👍 bad")));
    expect(result.divergences[0]).toEqual({
      promptId: "p",
      token: null,
      character: 2,
      a: "good",
      b: "bad",
      gap: null,
      verdict: "unknown",
    });
  });

  it("name the prompts that only one of them has", () => {
    const result = compareArms(arm("a", output("p", ["x"])), arm("b", output("q", ["x"])));
    expect(result).toMatchObject({ compared: 0, unpaired: ["q", "p"] });
  });
});

describe("the file of an arm", () => {
  it("holds what was written", async () => {
    await withFolder(async (folder) => {
      const path = join(folder, "on.jsonl");
      const arm = { name: "on", outputs: [output("p", ["a", "b"], 1), output("q", ["c"])] };
      await writeFile(path, armToText(arm));
      const read = await readArm(path);
      expect(read.name).toBe("on");
      expect(compareArms(arm, read)).toMatchObject({ compared: 2, identical: 2 });
    });
  });

  it("is refused with the line that is wrong", async () => {
    await withFolder(async (folder) => {
      const path = join(folder, "arm.jsonl");
      const line = armToText({ name: "a", outputs: [output("p", ["a"])] });
      for (const [text, message] of [
        [`${line}{"promptId":1}\n`, /arm\.jsonl:2: no output of a losslessness run/],
        [`${line}${line}`, /arm\.jsonl:2: gives the prompt p twice/],
        ["", /holds no outputs/],
      ] as const) {
        await writeFile(path, text);
        expect((await runError(readArm(path))).message).toMatch(message);
      }
      expect((await runError(readArm(join(folder, "gone")))).message).toMatch(/cannot read .*gone/);
    });
  });
});

describe("a copy", () => {
  it("is exact with or without a fence around it", () => {
    expect(checkCopy(FIXED_CLASS).exact).toBe(true);
    expect(checkCopy(`\n\`\`\`js\n${FIXED_CLASS}\n\`\`\`\n`).exact).toBe(true);
    expect(FIXED_CLASS.split("\n").length).toBeGreaterThanOrEqual(65);
  });

  it("tells its first line that differs, and what stands there", () => {
    const lines = FIXED_CLASS.split("\n");
    expect(checkCopy(lines.with(2, "    this.port = harbour;").join("\n"))).toEqual({
      exact: false,
      firstDifference: 3,
      found: "    this.port = harbour;",
    });
    expect(checkCopy(lines.slice(0, 10).join("\n"))).toEqual({
      exact: false,
      firstDifference: 11,
      found: null,
    });
    expect(checkCopy(`${FIXED_CLASS}\n// done`)).toMatchObject({
      firstDifference: lines.length + 1,
      found: "// done",
    });
  });
});
