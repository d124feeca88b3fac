import { describe, expect, test } from "vitest";
import { RenderError } from "../../src/error.ts";
import { jsonText } from "../../src/python/filters/tojson.ts";
import { parseJson } from "../../src/python/json-reader.ts";
import { repr } from "../../src/python/repr.ts";
import { PyDict } from "../../src/python/value.ts";
import { context } from "./evaluate.ts";

function printed(text: string): string {
  return repr(context(), parseJson(text));
}

function refusal(text: string, limits = {}): string {
  try {
    parseJson(text, limits);
  } catch (error) {
    return error instanceof RenderError ? `${error.code} ${error.message}` : String(error);
  }
  return "read";
}

describe("reading JSON as Python does", () => {
  test("floats stay floats, and ints have any size", () => {
    expect(printed("[1, 1.0, -0, -0.0, 1e2, 12345678901234567890, 0.1, 1E400, NaN, -Infinity]")).toBe(
      "[1, 1.0, 0, -0.0, 100.0, 12345678901234567890, 0.1, inf, nan, -inf]",
    );
  });

  test("keys keep their order, also those that look like numbers", () => {
    expect(printed('{"b": 1, "10": 2, "2": 3, "__proto__": 4}')).toBe(
      "{'b': 1, '10': 2, '2': 3, '__proto__': 4}",
    );
  });

  test("of a key that is there twice the last value stands at the first place", () => {
    expect(printed('{"a": 1, "b": 2, "a": 3}')).toBe("{'a': 3, 'b': 2}");
  });

  test("escapes, also halves of surrogate pairs", () => {
    expect(parseJson('"\\u00e9\\n\\/\\ud83d\\ude00\\ud800"')).toBe("é\n/😀\ud800");
  });

  test("what was read is written as it was", () => {
    const text = '{"b": [1.0, 12345678901234567890, null, true], "10": {"é\\"": -0.0}}';
    expect(jsonText(parseJson(text))).toBe(text);
    expect(parseJson(text)).toBeInstanceOf(PyDict);
  });
});

test("a text may begin with a byte order mark, as files of some editors do", () => {
  expect(parseJson('\ufeff"a"')).toBe("a");
  expect(refusal('\ufeff\ufeff"a"')).toBe("MESSAGES_INVALID JSON at 1:2: expected a value");
});

describe("refusals name line and column", () => {
  test.each([
    ["", "1:1: the text ends where a value is expected"],
    ['{"a": 1,\n "b" 2}', '2:6: expected ":"'],
    ["[1,\n 2,\n]", "3:1: expected a value"],
    ["[1 2]", '1:4: expected "," or "]"'],
    ['{"a": 1', '1:8: expected "," or "}"'],
    ["{a: 1}", "1:2: expected a key in double quotes"],
    ['["abc', "1:2: a string that does not end"],
    ['"a\nb"', "1:3: a control character in a string must be escaped"],
    ['"\\x"', "1:2: an escape that JSON does not know"],
    ['"\\u12g4"', "1:2: \\u needs four hexadecimal digits"],
    ["[1] x", "1:5: more text after the value"],
    ["01", "1:2: more text after the value"],
    [`[${"9".repeat(4301)}]`, "1:2: a whole number of more than 4300 digits"],
  ])("%j", (text, message) => {
    expect(refusal(text)).toBe(`MESSAGES_INVALID JSON at ${message}`);
  });

  test("bounds of length, depth and number of values", () => {
    expect(refusal("[".repeat(100_000))).toContain("nested deeper than 500 levels");
    expect(refusal("[1, 2, 3]", { values: 3 })).toContain("more than 3 values");
    expect(refusal("[1, 2, 3]", { chars: 3 })).toContain("more than 3 characters");
    expect(refusal("[[[1]]]", { depth: 2 })).toContain("nested deeper than 2 levels");
  });
});
