import { describe, expect, it } from "vitest";

import { ToolCallSplitter } from "../src/wire/tool-call-splitter.ts";

const call = '<tool_call>\n{"name": "f", "arguments": {"a": "</x>"}}\n</tool_call>';

function split(pieces: readonly string[]) {
  const splitter = new ToolCallSplitter();
  const told = [...pieces.map((piece) => splitter.push(piece)), splitter.end()];
  return { content: told.map(({ content }) => content).join(""), calls: told.flatMap(({ calls }) => calls) };
}

describe("ToolCallSplitter", () => {
  it("finds calls wherever the text is cut", () => {
    const text = `Let me see.${call}\n${call} done`;
    const whole = split([text]);
    expect(whole.content).toBe("Let me see.\n done");
    expect(whole.calls).toEqual([
      { name: "f", arguments: '{"a":"</x>"}' },
      { name: "f", arguments: '{"a":"</x>"}' },
    ]);
    for (let at = 1; at < text.length; at += 1) {
      expect(split([text.slice(0, at), text.slice(at)])).toEqual(whole);
    }
    expect(split(Array.from(text))).toEqual(whole);
  });

  it.each([
    "<tool_call>not JSON</tool_call> after",
    '<tool_call>{"arguments": {}}</tool_call>',
    "<tool_call>{",
    "<tool_",
    "a < b",
  ])("leaves %j as text", (text) => {
    expect(split([text])).toEqual({ content: text, calls: [] });
    expect(split(Array.from(text))).toEqual({ content: text, calls: [] });
  });
});
