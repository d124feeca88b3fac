import { describe, expect, it } from "vitest";

import { ToolCallSplitter, type CallPart } from "../src/wire/tool-call-splitter.ts";

const call = '<tool_call>\n{"name": "f", "arguments": {"a": "</x>", "b": [1, {"c": "}\\""}]}}\n</tool_call>';
const called = { name: "f", arguments: '{"a": "</x>", "b": [1, {"c": "}\\""}]}' };

/** Pieces of calls put together. */
function joined(parts: readonly CallPart[]) {
  const calls: { name: string | null; arguments: string }[] = [];
  for (const { name, arguments: piece } of parts) {
    const last = calls.at(-1);
    if (name !== null || last === undefined) calls.push({ name, arguments: piece });
    else last.arguments += piece;
  }
  return calls;
}

function split(pieces: readonly string[]) {
  const splitter = new ToolCallSplitter();
  const told = [...pieces.map((piece) => splitter.push(piece)), splitter.end()];
  return {
    content: told.map(({ content }) => content).join(""),
    calls: joined(told.flatMap(({ calls }) => calls)),
  };
}

describe("ToolCallSplitter", () => {
  it("finds calls wherever the text is cut", () => {
    const text = `Let me see.${call}\n${call} done`;
    const whole = split([text]);
    expect(whole).toEqual({ content: "Let me see.\n done", calls: [called, called] });
    for (let at = 1; at < text.length; at += 1) {
      expect(split([text.slice(0, at), text.slice(at)])).toEqual(whole);
    }
    expect(split(Array.from(text))).toEqual(whole);
  });

  it("tells the name as soon as it is there, and arguments as they come", () => {
    const splitter = new ToolCallSplitter();
    const nothing = { content: "", calls: [] };
    expect(splitter.push('<tool_call>{"name": "look_up", ')).toEqual(nothing);
    expect(splitter.push('"arguments": ')).toEqual(nothing);
    expect(splitter.push('{"wo').calls).toEqual([{ name: "look_up", arguments: '{"wo' }]);
    expect(splitter.push('rd": "a').calls).toEqual([{ name: null, arguments: 'rd": "a' }]);
    // what may be the end of the call is kept back
    expect(splitter.push('"} <').calls).toEqual([{ name: null, arguments: '"}' }]);
    expect(splitter.push("/tool_call>")).toEqual(nothing);
    expect(splitter.push(" more")).toEqual({ content: " more", calls: [] });
  });

  it.each([
    ["whose arguments come first", '<tool_call>{"arguments": {"a": 1}, "name": "f"}</tool_call>', '{"a":1}'],
    ["without arguments", '<tool_call>{"name": "f"}</tool_call>', "{}"],
    ["with arguments as text", '<tool_call>{"name": "f", "arguments": "{}"}</tool_call>', "{}"],
    ["with more after them", '<tool_call>{"name": "f", "arguments": {}, "id": 7}</tool_call>', "{}"],
    ["that was cut off", '<tool_call>{"name": "f", "arguments": {"a": "x</to', '{"a": "x</to'],
    ["that is not closed", '<tool_call>{"name": "f", "arguments": {"a": 1}}\n', '{"a": 1}'],
    [
      "that lacks a brace",
      '<tool_call>{"name": "f", "arguments": {"a": {"b": 1}</tool_call>',
      '{"a": {"b": 1}',
    ],
    ["with another brace", '<tool_call>{"name": "f", "arguments": {"a": 1}}}</tool_call>', '{"a": 1}'],
  ])("finds a call %s", (_what, text, args) => {
    const whole = { content: "", calls: [{ name: "f", arguments: args }] };
    expect(split([text])).toEqual(whole);
    expect(split(Array.from(text))).toEqual(whole);
  });

  it("goes on after a call that lacks a brace", () => {
    const text = `<tool_call>{"name": "g", "arguments": {"a": {}</tool_call>${call}`;
    expect(split([text]).calls).toEqual([{ name: "g", arguments: '{"a": {}' }, called]);
    expect(split(Array.from(text)).calls).toEqual([{ name: "g", arguments: '{"a": {}' }, called]);
  });

  it.each([
    "<tool_call>not JSON</tool_call> after",
    '<tool_call>{"arguments": {}}</tool_call>',
    '<tool_call>{"name": "", "arguments": {}}</tool_call>',
    '<tool_call>{"name": "a</tool_call>", "arguments": {}}',
    '<tool_call>{"name": "f", "argu',
    "<tool_call>{",
    "<tool_",
    "a < b",
  ])("leaves %j as text", (text) => {
    expect(split([text])).toEqual({ content: text, calls: [] });
    expect(split(Array.from(text))).toEqual({ content: text, calls: [] });
  });
});
