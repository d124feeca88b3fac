import { describe, expect, test } from "vitest";
import { configFields, parseSlo, slosOf } from "../src/index.ts";
import { readRate, readSeconds, readShare, readSize, unitOf } from "../src/units.ts";
import { configOf, refusals, yaml } from "./support.ts";

describe("texts with a unit", () => {
  test.each([
    ["500ms", 0.5],
    ["250us", 0.000_25],
    ["1.5s", 1.5],
    ["2m", 120],
    ["2 min", 120],
    ["1h", 3600],
    ["0.1ms", 0.0001],
    ["30", null],
    ["30 seconds", null],
    ["-1s", null],
    ["1e3s", 1000],
    ["1e-7s", 1e-7],
    ["", null],
  ])("%s is %s seconds", (text, value) => {
    expect(readSeconds(text)).toBe(value);
  });

  test.each([
    ["64k", 64_000],
    ["64K", 65_536],
    ["64Ki", 65_536],
    ["1.5k", 1500],
    ["1m", 1_000_000],
    ["1M", 1_048_576],
    ["64", null],
    ["64kb", null],
  ])("%s is %s tokens", (text, value) => {
    expect(readSize(text)).toBe(value);
  });

  test("shares and rates", () => {
    expect([readShare("25%"), readShare("0.25"), readShare("12.5 %")]).toEqual([0.25, null, 0.125]);
    expect([readRate("10/s"), readRate("600/min"), readRate("36/h"), readRate("10")]).toEqual([
      10,
      10,
      0.01,
      null,
    ]);
  });

  test("every setting that counts something has a unit in its description", () => {
    const words = {
      ms: /\bms\b/,
      s: /\bs\b/,
      tokens: /[Tt]okens/,
      count: /./,
      share: /[Ss]hare|times 1 ±/,
      rate: /[Rr]equests per second/,
    };
    for (const { path, description } of configFields) {
      expect(description, path).toMatch(/^\S.{5,}\.$/s);
    }
    const wrong = configFields.filter(({ path, description }) => {
      const unit = unitOf(path);
      return unit !== null && !words[unit].test(description);
    });
    expect(wrong).toEqual([]);
  });

  test("a bare number in a file is in the unit that the name tells, a bare text is refused", () => {
    expect(configOf({ requestTimeoutMs: 30 }).requestTimeoutMs).toBe(30);
    expect(refusals(yaml('requestTimeoutMs: "30"\ninputLen: "64"\n'))).toEqual([
      "f.yaml:1:1 requestTimeoutMs: expected a whole number from 1 to 2147483647, or a duration with its unit such as " +
        '500ms, 30s or 2m, got "30"',
      'f.yaml:2:1 inputLen: expected a whole number from 1 to 16777216, got "64"',
    ]);
  });
});

describe("limits", () => {
  test.each([
    ["ttft<=500ms", { scope: "request", metric: "ttft", statistic: null, bound: "at-most", limit: 500 }],
    ["p99(tpot) <= 50ms", { scope: "run", metric: "tpot", statistic: 0.99, bound: "at-most", limit: 50 }],
    ["p99.9(itl)<0.2s", { scope: "run", metric: "itl", statistic: 0.999, limit: 200 }],
    ["mean(e2el)<=2m", { statistic: "mean", limit: 120_000 }],
    ["max(queue)<=1ms", { statistic: 1 }],
    ["decode>=20tok/s", { scope: "request", metric: "decode", bound: "at-least", limit: 20 }],
    ["p10(decode)>=20", { scope: "run", statistic: 0.1, bound: "at-least", limit: 20 }],
    ["error-rate<=1%", { scope: "run", metric: "error-rate", statistic: null, limit: 0.01 }],
    ["goodput>=0.95", { scope: "run", metric: "goodput", limit: 0.95 }],
    ["output-tokens-per-s>=1000/s", { metric: "output-tokens-per-s", limit: 1000 }],
    ["acceptance-length>=3.2", { metric: "acceptance-length", limit: 3.2 }],
    // As `vllm bench serve` writes milliseconds.
    ["ttft:500", { metric: "ttft", bound: "at-most", limit: 500 }],
  ])("%s", (text, expected) => {
    expect(parseSlo(text)).toMatchObject({ text, ...expected });
  });

  test.each([
    ["ttft<=500", "ttft is compared with a duration with its unit, such as 500ms or 2s"],
    ["ttft>=500ms", "ttft is better the lower (write <=)"],
    ["decode<=20", "decode is better the higher (write >=)"],
    ["itl<=50ms", "a request has many gaps (write p99(itl)<=… for the run, or take tpot)"],
    ["p101(ttft)<=1s", "p101 is no percentile (p0 to p100)"],
    ["p50(goodput)>=1", "goodput is one number of the run and has no p50"],
    ["error-rate<=2", "error-rate is compared with a share such as 1% or 0.01"],
    ["speed>=1", "speed is no figure (known are ttft, ttfa,"],
    ["ttft", "expected a limit such as ttft<=500ms, p99(tpot)<=50ms or error-rate<=1%"],
    ["ttft<=500ms; rm", "expected a limit such as"],
    [`ttft<=${"1".repeat(300)}ms`, "expected a limit such as"],
  ])("%s is refused", (text, message) => {
    expect(() => parseSlo(text)).toThrow(message);
    expect(refusals({ source: "file", value: { slos: [text] } })[0]).toContain(message);
  });

  test("of a configuration, in its order", () => {
    const slos = slosOf(configOf({ slos: ["ttft<=1s", "error-rate<=1%"] }));
    expect(slos.map(({ metric }) => metric)).toEqual(["ttft", "error-rate"]);
  });
});
