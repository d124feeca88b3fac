import { describe, expect, it } from "vitest";
import { MetricsError, parseExposition, parseMetricsPage } from "../src/index.ts";
import { fixture } from "./pages.ts";

function failure(run: () => unknown): MetricsError {
  try {
    run();
  } catch (error) {
    if (error instanceof MetricsError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("parseExposition", () => {
  it.each([
    ["a plain sample", "up 1\n", { name: "up", labels: {}, value: 1 }],
    ["blanks around everything", '  up\t { a = "b" , }  1  \n', { name: "up", labels: { a: "b" }, value: 1 }],
    ["no blank after the labels", 'up{a="b"}1\n', { name: "up", labels: { a: "b" }, value: 1 }],
    ["empty labels", "up{} 1\n", { name: "up", labels: {}, value: 1 }],
    ["a colon in the name", "llamacpp:n_decode_total 7\n", { name: "llamacpp:n_decode_total", value: 7 }],
    ["escapes", String.raw`x{p="C:\\d\"q\"\nz"} 1` + "\n", { labels: { p: 'C:\\d"q"\nz' } }],
    ["braces, commas and # in a value", 'x{p="{a,b} # c=\\"d\\""} 1\n', { labels: { p: '{a,b} # c="d"' } }],
    [
      "text beyond ASCII in a value",
      'x{p="größe 模型 \u{1F600}"} 1\n',
      { labels: { p: "größe 模型 \u{1F600}" } },
    ],
    ["a carriage return inside a value", 'x{p="a\rb"} 1\n', { labels: { p: "a\rb" } }],
    ["CRLF", 'x{p="a"} 1\r\n', { labels: { p: "a" }, value: 1, timestampMs: null }],
    ["a timestamp", "x 1 1700000000123\n", { value: 1, timestampMs: 1_700_000_000_123 }],
    ["a negative timestamp", "x 1 -5\n", { timestampMs: -5 }],
    ["an exponent with sign", "x 1.234567e+06\n", { value: 1_234_567 }],
    ["an exponent without sign", "x 2E3\n", { value: 2000 }],
    ["a negative exponent", "x 5e-05\n", { value: 0.00005 }],
    ["a leading dot", "x .5\n", { value: 0.5 }],
    ["a trailing dot", "x 5.\n", { value: 5 }],
    ["a sign", "x +5\n", { value: 5 }],
    ["NaN", "x NaN\n", { value: Number.NaN }],
    ["-nan", "x -nan\n", { value: Number.NaN }],
    ["+Inf", "x +Inf\n", { value: Number.POSITIVE_INFINITY }],
    ["-Inf", "x -Inf\n", { value: Number.NEGATIVE_INFINITY }],
    ["labels named like properties of objects", 'x{__proto__="a",constructor="b"} 1\n', { name: "x" }],
    ["a byte-order mark", "\uFEFFx 1\n", { name: "x", value: 1 }],
  ])("reads %s", (_, text, expected) => {
    const samples = parseExposition(text);
    expect(samples).toHaveLength(1);
    expect(samples[0]).toMatchObject(expected);
  });

  it("keeps a label called __proto__", () => {
    const labels = parseExposition('x{__proto__="a"} 1\n')[0]?.labels ?? {};
    expect(Object.entries(labels)).toEqual([["__proto__", "a"]]);
  });

  it("reads an empty page, comments and blank lines as no samples", () => {
    expect(parseExposition("")).toEqual([]);
    expect(parseExposition("# just a comment\n#\n\n   \n# EOF\n#HELP no_blank x\n")).toEqual([]);
  });

  it.each([
    ["a missing value", "a 1\nup\n", 2, 3, "expected the value of up"],
    ["a word for a value", 'up{a="b"} many\n', 1, 11, '"many" is not a number'],
    ["a hexadecimal value", "up 0x10\n", 1, 4, '"0x10" is not a number'],
    ["a fraction as timestamp", "up 1 1.5\n", 1, 6, '"1.5" is not a timestamp'],
    ["text after the timestamp", "up 1 2 3\n", 1, 8, "unexpected text"],
    ["a dash in the name", "up-time 1\n", 1, 3, "cannot be part of a metric name"],
    ["a digit first", "1up 1\n", 1, 1, "expected a metric name"],
    ["labels without a name", '{a="b"} 1\n', 1, 1, "expected a metric name"],
    ["an open label set", 'up{a="b" 1\n', 1, 10, "expected , or }"],
    ["an open label set at the end", 'up{a="b"\n', 1, 9, "not closed"],
    ["an open value", 'a 1\n\nup{a="b} 1\n', 3, 6, "the value of the label a is not closed"],
    ["a value broken over lines", 'up{a="b\nc"} 1\n', 1, 6, "the value of the label a is not closed"],
    ["a value without quotes", "up{a=b} 1\n", 1, 6, "expected a quoted value"],
    ["a label without value", "up{a} 1\n", 1, 5, "expected = after the label a"],
    ["a label twice", 'up{a="1",a="2"} 1\n', 1, 10, "given twice"],
    ["an unknown escape", String.raw`up{a="b\tc"} 1` + "\n", 1, 8, "unknown escape"],
    ["a backslash at the end", 'up{a="b\\\n', 1, 8, "unknown escape"],
    ["the same series twice", 'up{a="1"} 1\nx 1\nup{a="1"} 2\n', 3, 1, "already given in line 1"],
    ["two types of one family", "# TYPE x counter\n# TYPE x gauge\n", 2, 1, "x is given the type gauge"],
    ["a page cut off in a number", "a 1\nvllm:tokens_total 12", 2, 21, "probably cut off"],
    ["an HTML page", "<!DOCTYPE html>\n", 1, 1, "expected a metric name"],
  ])("refuses %s and says where", (_, text, line, column, what) => {
    const error = failure(() => parseExposition(text));
    expect(error.code).toBe("EXPOSITION_INVALID");
    expect(error.message).toContain(what);
    expect([error.line, error.column]).toEqual([line, column]);
    expect(error.message).toContain(`line ${line}, column ${column}`);
    expect(error.message).not.toContain("\n");
  });

  it("bounds characters, lines and labels", () => {
    expect(failure(() => parseExposition("a 1\n", { maxLength: 3 })).code).toBe("EXPOSITION_TOO_LARGE");
    const lines = failure(() => parseExposition("a 1\nb 1\nc 1\n", { maxLines: 2 }));
    expect([lines.code, lines.line]).toEqual(["EXPOSITION_TOO_LARGE", 3]);
    expect(parseExposition("a 1\nb 1\n", { maxLines: 2 })).toHaveLength(2);
    const labels = failure(() => parseExposition('a{b="1",c="2"} 1\n', { maxLabels: 1 }));
    expect([labels.code, labels.column]).toEqual(["EXPOSITION_TOO_LARGE", 9]);
  });

  it("shortens a giant word in its message", () => {
    const error = failure(() => parseExposition(`x ${"y".repeat(100_000)}\n`));
    expect(error.message.length).toBeLessThan(200);
  });
});

describe("parseMetricsPage", () => {
  it("keeps families with type and help, also those without samples", () => {
    const page = parseMetricsPage(
      "# HELP a_total Two\\nlines and a \\\\.\n# TYPE a_total counter\n# TYPE b histogram\n# TYPE c unknown\n# HELP d\n",
    );
    expect(Object.fromEntries(page.families)).toEqual({
      a_total: { type: "counter", help: "Two\nlines and a \\." },
      b: { type: "histogram", help: null },
      c: { type: "untyped", help: null },
      d: { type: "untyped", help: "" },
    });
    expect(page.samples).toEqual([]);
  });

  it("gives samples the type of their family, a histogram that ends with _total included", () => {
    const { samples } = parseMetricsPage(fixture("vllm-two-engines-after.prom"));
    const typeOf = (name: string): string | undefined => samples.find((sample) => sample.name === name)?.type;
    expect(typeOf("vllm:iteration_tokens_total_sum")).toBe("histogram");
    expect(typeOf("vllm:generation_tokens_total")).toBe("counter");
    expect(typeOf("vllm:num_requests_running")).toBe("gauge");
    expect(typeOf("vllm:prefix_cache_queries_created")).toBe("gauge");
    expect(parseExposition("# TYPE a counter\na_total 1\nb_count 1\n").map((sample) => sample.type)).toEqual([
      "counter",
      "untyped",
    ]);
  });

  it("reads a label with line feed, quotes and braces as vLLM writes it", () => {
    const { samples } = parseMetricsPage(fixture("vllm-two-engines-after.prom"));
    const info = samples.find((sample) => sample.name === "vllm:cache_config_info");
    expect(info?.labels["note"]).toBe('a {brace}, a # sign, a "quote" and a \\ in\ntwo lines');
  });
});
