import { describe, expect, it } from "vitest";
import { schemaFault } from "../../src/llama/schema-fault.ts";

describe("schemaFault", () => {
  it("finds nothing in what can be expressed", () => {
    expect(
      schemaFault({
        $defs: { name: { type: "string", maxLength: 20 } },
        type: "object",
        properties: { a: { $ref: "#/$defs/name" }, b: { const: { $ref: "data" } }, c: { enum: [null, 1] } },
      }),
    ).toBeNull();
  });

  it("names what cannot, by its path", () => {
    expect(schemaFault({ properties: { a: { items: { $ref: "other.json" } } } })).toBe(
      '#/properties/a/items/$ref: a reference must begin with #/$defs/, got "other.json"',
    );
    expect(schemaFault({ items: { type: "text" } })).toBe('#/items/type: there is no type "text"');
    expect(schemaFault({ type: ["null", "date"] })).toBe('#/type: there is no type "date"');
    expect(schemaFault({ properties: { type: { type: "string" } } })).toBeNull();
    expect(schemaFault({ properties: { a: { type: "string", pattern: "^a" } } })).toBe(
      "#/properties/a/pattern: outputs cannot be held to this keyword",
    );
    expect(schemaFault({ properties: { pattern: { type: "string" }, not: { type: "null" } } })).toBeNull();
    expect(schemaFault({ type: "array", uniqueItems: true })).toMatch(/^#\/uniqueItems: /);
    expect(schemaFault({ type: "array", uniqueItems: false })).toBeNull();
    expect(schemaFault({ allOf: [{ type: "string" }, { maxLength: 3 }] })).toMatch(/^#\/allOf: .*several/);
    expect(schemaFault({ anyOf: [{ type: "string" }], type: "string" })).toBe(
      "#/anyOf: cannot stand beside type",
    );
    expect(schemaFault({ anyOf: [{ type: "string" }], title: "A", default: null })).toBeNull();
    expect(schemaFault({ $ref: "#/$defs/a", $defs: { b: {} } })).toBe("#/$ref: there is no #/$defs/a");
    expect(schemaFault({ items: false })).toBe("#/items: no output is allowed");
    expect(schemaFault({ additionalProperties: false })).toBeNull();
    expect(schemaFault({ anyOf: [{ type: "string", minLength: 5000 }] })).toBe(
      "#/anyOf/0/minLength: at most 2000 are possible, got 5000",
    );
  });
});
