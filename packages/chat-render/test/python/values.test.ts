import { describe, expect, test } from "vitest";
import { callMethod, getAttribute, getItem } from "../../src/python/access.ts";
import { equals } from "../../src/python/compare.ts";
import { PyError } from "../../src/python/errors.ts";
import { iterate } from "../../src/python/iterate.ts";
import { PyIterator } from "../../src/python/objects.ts";
import { repr, str } from "../../src/python/repr.ts";
import {
  PyDict,
  PyFloat,
  pyFloat,
  pyInt,
  PyMarkup,
  PyTuple,
  PyUndefined,
  type PyValue,
} from "../../src/python/value.ts";
import { context } from "./evaluate.ts";

const ctx = context();

describe("ints and floats", () => {
  test("an int is a number as long as that is exact", () => {
    expect(pyInt(9007199254740991n)).toBe(9007199254740991);
    expect(pyInt(9007199254740992n)).toBe(9007199254740992n);
    expect(pyInt(-9007199254740992n)).toBe(-9007199254740992n);
  });

  test("a float keeps being one where its value is integral", () => {
    expect(pyFloat(2)).toBeInstanceOf(PyFloat);
    expect(pyFloat(2.5)).toBe(2.5);
    expect(repr(ctx, pyFloat(-0))).toBe("-0.0");
    expect(equals(ctx, pyFloat(2), 2)).toBe(true);
  });
});

describe("dicts", () => {
  test("1, True and 1.0 are one key, which keeps its first form", () => {
    const dict = PyDict.of([
      [true, "a"],
      [1, "b"],
      [pyFloat(1), "c"],
    ]);
    expect(repr(ctx, dict)).toBe("{True: 'c'}");
    expect(dict.get(1)).toBe("c");
  });

  test("equal tuples are one key, whatever the forms of their items", () => {
    const dict = new PyDict();
    dict.set(new PyTuple([1, "a", new PyTuple([null])]), "first");
    dict.set(new PyTuple([pyFloat(1), new PyMarkup("a"), new PyTuple([null])]), "second");
    expect(dict.size).toBe(1);
    expect(dict.get(new PyTuple([true, "a", new PyTuple([null])]))).toBe("second");
    expect(dict.has(new PyTuple([1, "a"]))).toBe(false);
    expect(dict.has("(1,s1:a,(null,),)")).toBe(false);
  });

  test("a large float and the int of its value are one key", () => {
    const dict = PyDict.of([[10n ** 20n, "x"]]);
    expect(dict.get(pyFloat(1e20))).toBe("x");
  });

  test("lists and dicts cannot be keys", () => {
    expect(() => new PyDict().set([], 1)).toThrowError(new PyError("TypeError", "unhashable type: 'list'"));
    expect(() => new PyDict().get(new PyTuple([new PyDict()]))).toThrowError(/unhashable type: 'dict'/);
  });

  test("names of JavaScript's prototypes are names like others", () => {
    const dict = new PyDict();
    for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
      expect(dict.get(name)).toBeUndefined();
      expect(getItem(ctx, dict, name)).toBeInstanceOf(PyUndefined);
      expect(getAttribute(ctx, dict, name)).toBeInstanceOf(PyUndefined);
      dict.set(name, 1);
      expect(getAttribute(ctx, dict, name)).toBe(1);
    }
    expect(dict.keys()).toEqual(["__proto__", "constructor", "toString", "hasOwnProperty"]);
  });

  test("a key with None is there", () => {
    const dict = PyDict.of([["a", null]]);
    expect(getAttribute(ctx, dict, "a")).toBeNull();
    expect(callMethod(ctx, dict, "get", ["a", 5], null)).toBeNull();
    expect(callMethod(ctx, dict, "get", ["b", 5], null)).toBe(5);
  });
});

describe("what JavaScript could reach", () => {
  test.each<[string, PyValue]>([
    ["a list", [1]],
    ["a text", "abc"],
    ["a number", 5],
    ["a tuple", new PyTuple([1])],
    ["a Markup", new PyMarkup("x")],
    ["a float", 1.5],
  ])("%s has no attribute of its JavaScript value", (_name, value) => {
    for (const name of [
      "constructor",
      "length",
      "prototype",
      "toString",
      "valueOf",
      "at",
      "text",
      "items_",
      "value",
    ]) {
      expect(getAttribute(ctx, value, name)).toBeInstanceOf(PyUndefined);
      expect(getItem(ctx, value, name)).toBeInstanceOf(PyUndefined);
    }
  });
});

describe("iterators", () => {
  test("go on where they were left, and end for good", () => {
    const iterator = new PyIterator(["a", "b", "c"].values());
    const first = iterate(ctx, iterator);
    expect(first.next().value).toBe("a");
    const second = iterate(ctx, iterator);
    expect(second.next().value).toBe("b");
    expect(first.next().value).toBe("c");
    expect(second.next().done).toBe(true);
    expect("return" in first).toBe(false);
  });

  test("a text is iterated by code points", () => {
    const characters = iterate(ctx, "a😀b");
    expect([characters.next().value, characters.next().value, characters.next().value]).toEqual([
      "a",
      "😀",
      "b",
    ]);
  });
});

test("undefined prints as nothing, and by its name inside a list", () => {
  expect(str(ctx, new PyUndefined("x"))).toBe("");
  expect(repr(ctx, [new PyUndefined("x")])).toBe("[Undefined]");
});
