import { describe, expect, it } from "vitest";

import { formatNumber, formatPercent } from "../src/format.ts";
import { displayWidth, fields, printable, table, wrap } from "../src/text.ts";

describe("text", () => {
  it("wraps at spaces and leaves a long word whole", () => {
    expect(wrap("one two /a/very/long/path three", 9)).toEqual(["one two", "/a/very/long/path", "three"]);
    expect(wrap("", 9)).toEqual([]);
  });

  it("counts wide characters twice", () => {
    expect(displayWidth("日本")).toBe(4);
    expect(displayWidth("aé")).toBe(2);
  });

  it("aligns the first column left and the others right", () => {
    expect(
      table([
        ["", "n"],
        ["TTFT", "5"],
        ["E2EL", "50"],
      ]),
    ).toEqual(["         n", "  TTFT   5", "  E2EL  50"]);
  });

  it("puts texts below their labels in a narrow space", () => {
    expect(fields([["a", "one"]], 36)).toEqual(["  a", "    one"]);
    expect(fields([["a", "one"]], 60)).toEqual(["  a  one"]);
  });

  it("takes control characters out of whatever it lays out", () => {
    expect(printable("a\u001b[1m\r\nb\u202ec")).toBe("a [1m b c");
    expect(wrap("a\u001b[1mb c", 80)).toEqual(["a [1mb c"]);
    expect(table([["a\u0007b", "\u009b1"]])).toEqual(["  a b   1"]);
  });
});

describe("format", () => {
  it("keeps four significant digits", () => {
    expect([0, 0.12345, 1.23456, 12.3456, 123.456, 1234.56, 98765.4].map(formatNumber)).toEqual([
      "0",
      "0.1235",
      "1.235",
      "12.35",
      "123.5",
      "1235",
      "98765",
    ]);
  });

  it("says 0.0 % of nothing but zero and 100.0 % of nothing but one", () => {
    expect([0, 0.0001, 0.5, 0.99999, 1].map(formatPercent)).toEqual([
      "0.0 %",
      "< 0.1 %",
      "50.0 %",
      "> 99.9 %",
      "100.0 %",
    ]);
  });
});
