import * as fc from "fast-check";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { describe, expect, it } from "vitest";
import { MetricsError, parseExposition, parseMetricsPage } from "../src/index.ts";

const labelValue = fc.string({ unit: "binary", maxLength: 30 });
const finite = fc.double({ noNaN: true, noDefaultInfinity: true });

describe("against prom-client's own output", () => {
  it("reads back any label values and any value of a gauge", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.tuple(labelValue, labelValue), {
          maxLength: 8,
          selector: (pair) => JSON.stringify(pair),
        }),
        fc.double(),
        async (pairs, value) => {
          const registry = new Registry();
          const gauge = new Gauge({
            name: "app:load",
            help: "x",
            labelNames: ["a", "b"],
            registers: [registry],
          });
          for (const [a, b] of pairs) gauge.set({ a, b }, value);
          const samples = parseExposition(await registry.metrics());
          expect(samples.map((sample) => [sample.labels["a"], sample.labels["b"]])).toEqual(pairs);
          // The sign of a zero is not written.
          for (const sample of samples) expect(sample.value + 0).toBe(value + 0);
        },
      ),
    );
  });

  it("reads back counters exactly up to the largest safe integer", async () => {
    await fc.assert(
      fc.asyncProperty(fc.maxSafeNat(), async (value) => {
        const registry = new Registry();
        new Counter({ name: "tokens_total", help: "x", registers: [registry] }).inc(value);
        expect(parseExposition(await registry.metrics())).toMatchObject([{ type: "counter", value }]);
      }),
    );
  });

  it("reads back help texts and histograms", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ maxLength: 40 }),
        fc.array(finite, { maxLength: 20 }),
        async (help, values) => {
          const registry = new Registry();
          const text = `x${help}x`;
          const histogram = new Histogram({
            name: "h",
            help: text,
            buckets: [0, 1, 10],
            registers: [registry],
          });
          for (const value of values) histogram.observe(value);
          const page = parseMetricsPage(await registry.metrics());
          expect(page.families.get("h")).toEqual({ type: "histogram", help: text });
          const count = page.samples.find((sample) => sample.name === "h_count");
          expect(count).toMatchObject({ type: "histogram", value: values.length });
          expect(page.samples.find((sample) => sample.labels["le"] === "+Inf")?.value).toBe(values.length);
        },
      ),
    );
  });
});

function thrownBy(run: () => unknown): unknown {
  try {
    run();
    return null;
  } catch (error) {
    return error;
  }
}

describe("on any text", () => {
  it("either parses or throws a MetricsError of one line", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "up",
        "a:b",
        "{",
        "}",
        '"',
        "\\",
        ",",
        "=",
        " ",
        "\n",
        "\r\n",
        "# TYPE x counter\n",
        "1",
        "NaN",
        "-nan",
      ),
      fc.string({ unit: "binary", maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const error = thrownBy(() => parseExposition(pieces.join("")));
        expect(error === null || error instanceof MetricsError).toBe(true);
        expect(String(error)).not.toContain("\n");
      }),
      { numRuns: 3000 },
    );
  });

  it("never takes a page that was cut off anywhere but at the end of a line", () => {
    const page = '# TYPE a counter\na{x="1"} 10\nb 2.5e+06 1700000000000\nc{y="z\\n"} NaN\n';
    for (let end = 1; end < page.length; end++) {
      if (page[end - 1] === "\n") continue;
      expect(() => parseExposition(page.slice(0, end))).toThrow(MetricsError);
    }
  });
});
