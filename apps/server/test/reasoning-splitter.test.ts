import { describe, expect, it } from "vitest";

import { ReasoningSplitter } from "../src/wire/reasoning-splitter.ts";

function split(pieces: readonly string[]): { readonly reasoning: string; readonly content: string } {
  const splitter = new ReasoningSplitter();
  const parts = [...pieces.map((piece) => splitter.push(piece)), splitter.end()];
  return {
    reasoning: parts.map((part) => part.reasoning).join(""),
    content: parts.map((part) => part.content).join(""),
  };
}

const cases = [
  { name: "no reasoning", output: "Hello.", reasoning: "", content: "Hello." },
  {
    name: "reasoning, then content",
    output: "<think>\nHm.\n</think>\n\nYes.",
    reasoning: "\nHm.\n",
    content: "\n\nYes.",
  },
  { name: "empty reasoning", output: "<think></think>Yes.", reasoning: "", content: "Yes." },
  {
    name: "reasoning that never ends",
    output: "<think>still </thin",
    reasoning: "still </thin",
    content: "",
  },
  {
    name: "a marker in the middle",
    output: "Write <think>x</think>.",
    reasoning: "",
    content: "Write <think>x</think>.",
  },
  {
    name: "a second block",
    output: "<think>a</think>b<think>c</think>",
    reasoning: "a",
    content: "b<think>c</think>",
  },
  {
    name: "lookalikes of the closing marker",
    output: "<think>a</t</think</think>b",
    reasoning: "a</t</think",
    content: "b",
  },
  { name: "an output that ends inside the opening marker", output: "<thi", reasoning: "", content: "<thi" },
  {
    name: "a marker after white space",
    output: " <think>a</think>",
    reasoning: "",
    content: " <think>a</think>",
  },
  { name: "nothing", output: "", reasoning: "", content: "" },
];

describe("ReasoningSplitter", () => {
  it.each(cases)("tells apart $name", ({ output, reasoning, content }) => {
    expect(split([output])).toEqual({ reasoning, content });
  });

  it.each(cases)(
    "gives the same for $name at every split into three pieces",
    ({ output, reasoning, content }) => {
      for (let i = 0; i <= output.length; i += 1) {
        for (let j = i; j <= output.length; j += 1) {
          expect(split([output.slice(0, i), output.slice(i, j), output.slice(j)])).toEqual({
            reasoning,
            content,
          });
        }
      }
    },
  );

  it("shows reasoning as it comes and keeps back only what could be the marker", () => {
    const splitter = new ReasoningSplitter();
    expect(splitter.push("<think>abc")).toEqual({ reasoning: "abc", content: "" });
    expect(splitter.push("def</th")).toEqual({ reasoning: "def", content: "" });
    expect(splitter.push("e ")).toEqual({ reasoning: "</the ", content: "" });
  });
});
