import { describe, expect, it } from "vitest";

import { splitReasoning } from "../src/reasoning-split.ts";

function split(pieces: readonly string[]) {
  const texts = { reasoning: "", content: "", tool: "" };
  const { push, end } = splitReasoning((text, channel) => {
    texts[channel] += text;
  });
  for (const piece of pieces) push(piece);
  end();
  return [texts.reasoning, texts.content];
}

/** Every output, and its reasoning and content. */
const outputs: readonly (readonly [string, string, string])[] = [
  ["<think>17 + 25</think>\n\n42", "17 + 25", "\n\n42"],
  ["<think></think>42", "", "42"],
  ["<think>a < b </thin> c</think>x</think>", "a < b </thin> c", "x</think>"],
  ["<think>cut off </thi", "cut off </thi", ""],
  ["<think", "", "<think"],
  ["No <think>reasoning</think> here", "", "No <think>reasoning</think> here"],
  [" <think>late</think>", "", " <think>late</think>"],
  ["", "", ""],
];

describe("reasoning in the output of a model in this process", () => {
  it.each(outputs)("is told apart however the output is cut: %j", (output, reasoning, content) => {
    expect(split([output])).toEqual([reasoning, content]);
    expect(split(output.split(""))).toEqual([reasoning, content]);
    for (let cut = 1; cut < output.length; cut++) {
      expect(split([output.slice(0, cut), output.slice(cut)]), String(cut)).toEqual([reasoning, content]);
    }
  });

  it("passes on at once what cannot be part of a marker", () => {
    const seen: string[] = [];
    const { push } = splitReasoning((text, channel) => seen.push(`${channel}: ${text}`));
    push("<think>one <");
    push("b> two</think>three");
    expect(seen).toEqual(["reasoning: one ", "reasoning: <b> two", "content: three"]);
  });
});
