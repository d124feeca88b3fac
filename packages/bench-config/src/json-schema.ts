import { z } from "zod";
import { presets } from "./presets.ts";
import { benchConfigSchema } from "./schema.ts";
import { unitOf } from "./units.ts";
import type { Unit } from "./units.ts";

type Part = z.core.JSONSchema.JSONSchema;

/** Texts with a unit, as `units.ts` reads them. */
const patterns: Readonly<Record<Unit, string>> = {
  ms: String.raw`^\d+(\.\d+)?\s?(us|ms|s|m|min|h)$`,
  s: String.raw`^\d+(\.\d+)?\s?(us|ms|s|m|min|h)$`,
  tokens: String.raw`^\d+(\.\d+)?\s?(k|K|Ki|m|M|Mi)$`,
  count: String.raw`^\d+(\.\d+)?\s?(k|K|Ki|m|M|Mi)$`,
  share: String.raw`^\d+(\.\d+)?\s?%$`,
  rate: String.raw`^\d+(\.\d+)?\s?/\s?(s|min|m|h)$`,
};

function isPart(value: unknown): value is Part {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The same value, or a text with its unit. What describes the setting stays outside of the choice. */
function withUnit(part: Part, unit: Unit): Part {
  const { description, default: fallback, anyOf, ...number } = part;
  return {
    ...(description === undefined ? {} : { description }),
    ...(fallback === undefined ? {} : { default: fallback }),
    anyOf: [...(anyOf ?? [number]), { type: "string", pattern: patterns[unit] }],
  };
}

function withUnits(part: Part, prefix: string): Part {
  const properties = Object.entries(part.properties ?? {}).map(([key, inner]): [string, Part] => {
    const path = `${prefix}${key}`;
    if (!isPart(inner)) {
      return [key, {}];
    }
    const unit = unitOf(path);
    if (unit !== null) {
      return [key, withUnit(inner, unit)];
    }
    return [key, inner.properties === undefined ? inner : withUnits(inner, `${path}.`)];
  });
  return { ...part, properties: Object.fromEntries(properties) };
}

/**
 * JSON Schema (draft 7) of a configuration file, with the description, unit and default of every setting, for editors:
 * `# yaml-language-server: $schema=FILE` as the first line of a YAML file, or `"$schema"` in a JSON file.
 *
 * It accepts what one setting may be. What settings may not be together shows only when they are resolved.
 */
export function configJsonSchema(): Part {
  const whole = z.toJSONSchema(benchConfigSchema, { io: "input", target: "draft-7" });
  const { properties, ...rest } = withUnits(whole, "");
  const names = { type: "string", enum: presets.map(({ name }) => name) } as const;
  const preset = isPart(properties?.["preset"]) ? properties["preset"] : {};
  return {
    ...rest,
    title: "Configuration of an onpar benchmark run",
    properties: {
      $schema: { type: "string", description: "The schema of this file, for editors." },
      ...properties,
      preset: { description: preset.description ?? "", default: null, anyOf: [names, { type: "null" }] },
    },
  };
}
