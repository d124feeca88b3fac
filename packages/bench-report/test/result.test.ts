import { describe, expect, it } from "vitest";

import {
  FIGURE_NAMES,
  parseJson,
  readResult,
  readRun,
  ReportError,
  resultJsonSchema,
  resultOfRun,
  runJsonSchema,
} from "../src/index.ts";
import { eosResult, result } from "./results.ts";

describe("reading results", () => {
  it("takes a run as it was written", () => {
    const run = eosResult();
    expect(readRun(JSON.parse(JSON.stringify(run)), "a.json")).toEqual(JSON.parse(JSON.stringify(run)));
  });

  it("lets fields of later versions pass", () => {
    const run = { ...result(), summary: { ...result().summary, later: 1 } };
    expect(readRun(run, "a.json")).toEqual(run);
  });

  it("names file and field of what is wrong", () => {
    const broken = { ...result(), startedAt: 5 };
    expect(() => readRun(broken, "a.json")).toThrow(
      /a\.json: is no result of schema onpar\.run\/2 \(startedAt:/,
    );
    expect(() => readRun({ schema: "onpar.run/1" }, "a.json")).toThrow(
      /of schema onpar\.run\/1, and onpar\.run\/2/,
    );
    expect(() => readResult({ schema: "onpar.result/9" }, "b.json")).toThrow(ReportError);
    expect(() => parseJson("{", "c.json")).toThrow(/c\.json: is no JSON/);
  });

  it("refuses a figure with a name that does not exist", () => {
    const made = resultOfRun(result(), null);
    const [point] = made.points;
    const other = { ...made, points: [{ ...point, figures: { speed: point?.figures.ttftMs } }] };
    expect(() => readResult(other, "d.json")).toThrow(/d\.json/);
  });
});

describe("JSON Schemas", () => {
  it("describe every field of a result", () => {
    const schema = JSON.stringify(resultJsonSchema());
    expect(schema).toContain("draft/2020-12");
    for (const name of FIGURE_NAMES) expect(schema).toContain(`"${name}"`);
    expect(schema).toContain("Output lengths that were observed");
  });

  it("describe a run", () => {
    expect(runJsonSchema()).toMatchObject({
      type: "object",
      properties: { schema: { const: "onpar.run/2" } },
    });
  });
});

describe("resultOfRun", () => {
  it("leaves out what a run does not tell, and never writes 0 for it", () => {
    const [point] = resultOfRun(result(), null).points;
    expect(point?.figures).not.toHaveProperty("itlTokenMs");
    expect(point?.figures).not.toHaveProperty("coldTtftMs");
    expect(point?.clientBound).toBeNull();
    expect(point?.figures.decodeCtxsweep).toMatchObject({ n: 50, statistic: "p50", std: null });
  });
});
