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
    expect(schemaFault({ anyOf: [{ type: "string", minLength: 5000 }] })).toBe(
      "#/anyOf/0/minLength: at most 2000 are possible, got 5000",
    );
  });
});
