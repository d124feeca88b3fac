import { describe, expect, it } from "vitest";
import type { NativeEngine, NativeLibrary, VllmAddon } from "../lib/index.js";
import { loadAddon } from "../lib/index.js";
import { addonMissing, openTestLibrary, testModel, TestSession } from "./support.ts";

// A name that the description lacks, or has beside these, does not compile.
const ADDON: Record<keyof VllmAddon, string> = {
  open: "function",
  paramsLayout: "function",
  oldestAbi: "number",
  newestAbi: "number",
};
const LIBRARY: Record<keyof NativeLibrary, string> = {
  abiVersion: "number",
  version: "string",
  missing: "object",
  load: "function",
};
const ENGINE: Record<keyof NativeEngine, string> = {
  submit: "function",
  complete: "function",
  chat: "function",
  cancel: "function",
  acceptance: "function",
  close: "function",
};

function kinds(object: object, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, typeof Reflect.get(object, name)]));
}

function described(object: object): Record<string, string> {
  const prototype: unknown = Object.getPrototypeOf(object);
  const names = Object.getOwnPropertyNames(prototype).filter((name) => name !== "constructor");
  return kinds(object, names);
}

describe.skipIf(addonMissing !== null)(`the addon is what its description says${addonMissing ?? ""}`, () => {
  it("exports these and nothing else", () => {
    const addon = loadAddon();
    expect(kinds(addon, Object.keys(addon))).toEqual(ADDON);
    expect([addon.oldestAbi, addon.newestAbi]).toEqual([5, 30]);
  });

  it("opens libraries and loads engines that have these members and no others", async () => {
    const library = openTestLibrary("abi30");
    expect(described(library)).toEqual(LIBRARY);
    const model = testModel();
    const session = await TestSession.loaded(library, { model_path: model.path });
    expect(described(session.engine)).toEqual(ENGINE);
    const { ending } = await session.ask((id) => session.engine.submit(id, "a", { maxTokens: 1 }));
    expect(Object.keys(ending).sort()).toEqual(
      [
        "request",
        "atNs",
        "status",
        "cancelled",
        "error",
        "tokens",
        "text",
        "finishReason",
        "promptTokens",
        "completionTokens",
      ].sort(),
    );
    await session.close();
    model.remove();
  });

  it("takes no arguments of other kinds", async () => {
    const library = openTestLibrary("abi30");
    const model = testModel();
    const session = await TestSession.loaded(library, { model_path: model.path });
    const call =
      (name: keyof NativeEngine, ...args: unknown[]) =>
      () =>
        Reflect.apply(
          Reflect.get(session.engine, name) as (...args: unknown[]) => unknown,
          session.engine,
          args,
        );
    expect(call("submit")).toThrow(TypeError);
    expect(call("submit", -1, "a", {})).toThrow(TypeError);
    expect(call("submit", 1, "a\0b", {})).toThrow(/NUL/);
    expect(call("submit", 1, "a", { temperature: "hot" })).toThrow(/temperature must be a number/);
    expect(call("submit", 1, "a", { repetitionPenalty: 0 })).toThrow(/above 0/);
    expect(call("submit", 1, "a", { seed: 1 })).toThrow(/bigint/);
    expect(call("submit", 1, "a", { stop: "x" })).toThrow(/array/);
    expect(call("complete", 1, [1, 2], { maxTokens: 1 })).toThrow(/Int32Array/);
    expect(call("complete", 1, new Int32Array([1]), {})).toThrow(/maxTokens/);
    expect(() => library.load({ model_path: true as unknown as string }, () => undefined)).toThrow(TypeError);
    const noListener = undefined as unknown as () => void;
    expect(() => library.load({ model_path: "x" }, noListener)).toThrow(/function/);
    await session.close();
    expect(call("submit", 1, "a", {})).toThrow(/closed/);
    model.remove();
  });
});
