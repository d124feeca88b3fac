import { describe, expect, it } from "vitest";
import { readableSchema } from "../../src/llama/readable-schema.ts";

const text = { type: "string" };
const nothing = { type: "null" };

describe("readableSchema", () => {
  it("leaves what can be read as it is", () => {
    const schema = {
      type: "object",
      properties: { a: { enum: ["x", 1] }, b: { type: "array", items: text, maxItems: 2 } },
      required: ["a"],
      additionalProperties: false,
    };
    expect(readableSchema(schema)).toEqual({ ...schema, properties: { ...schema.properties } });
  });

  it("gives alternatives the one name that is read, wherever they stand", () => {
    expect(readableSchema({ anyOf: [text, nothing], title: "A" })).toEqual({
      oneOf: [text, nothing],
      title: "A",
    });
    expect(readableSchema({ type: "array", items: { anyOf: [text, nothing] } })).toEqual({
      type: "array",
      items: { oneOf: [text, nothing] },
    });
    const $defs = { a: { anyOf: [text] } };
    expect(readableSchema({ $ref: "#/$defs/a", $defs })).toEqual({
      $ref: "#/$defs/a",
      $defs: { a: { oneOf: [text] } },
    });
  });

  it("takes a list of types apart, and an allOf of one schema", () => {
    const object = { type: ["object", "null"], properties: { a: text }, required: ["a"] };
    expect(readableSchema(object)).toMatchObject({
      oneOf: [{ type: "object", properties: { a: text } }, { type: "null" }],
    });
    expect(readableSchema({ allOf: [{ $ref: "#/$defs/a" }], description: "A" })).toEqual({
      $ref: "#/$defs/a",
      description: "A",
    });
  });

  it("writes any value out", () => {
    const types = ["string", "number", "boolean", "null", "array", "object"];
    for (const any of [{}, true, { description: "whatever" }]) {
      expect(readableSchema(any)).toMatchObject({ oneOf: types.map((type) => ({ type })) });
    }
    expect(readableSchema({ type: "object", required: ["a"] })).toMatchObject({
      properties: { a: { oneOf: types.map((type) => ({ type })) } },
    });
    expect(readableSchema({ type: "object" })).toMatchObject({ additionalProperties: true });
  });
});
