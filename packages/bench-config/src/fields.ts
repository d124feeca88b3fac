import { z } from "zod";
import { benchConfigSchema } from "./schema.ts";
import { valueAt } from "./values.ts";

/** One setting of the configuration: a leaf of the schema. */
export interface ConfigField {
  /** `ignoreEos`, `sampling.topP`. */
  readonly path: string;
  readonly description: string;
  /** What an empty configuration has there; undefined for a setting that is absent until it is set. */
  readonly default: unknown;
  readonly schema: z.ZodType;
}

function groupOf(schema: z.ZodType): z.ZodObject | null {
  let inner: unknown = schema;
  while (inner instanceof z.ZodPrefault || inner instanceof z.ZodDefault) {
    inner = inner.def.innerType;
  }
  return inner instanceof z.ZodObject ? inner : null;
}

function leavesOf(object: z.ZodObject, defaults: unknown, prefix: string): ConfigField[] {
  return Object.entries(object.shape).flatMap(([key, schema]) => {
    if (!(schema instanceof z.ZodType)) {
      return [];
    }
    const path = `${prefix}${key}`;
    const value = valueAt(defaults, key);
    const group = groupOf(schema);
    return group === null
      ? [{ path, description: schema.description ?? "", default: value, schema }]
      : leavesOf(group, value, `${path}.`);
  });
}

/** Every setting, in the order of the schema. */
export const configFields: readonly ConfigField[] = leavesOf(
  benchConfigSchema,
  benchConfigSchema.parse({}),
  "",
);

const byPath = new Map(configFields.map((field) => [field.path, field]));

export function fieldAt(path: string): ConfigField | undefined {
  return byPath.get(path);
}

/** Paths that hold settings instead of a value: `target`, `load`, `load.ramp`. */
export const configGroups: ReadonlySet<string> = new Set(
  configFields.flatMap(({ path }) =>
    path.split(".").flatMap((_, depth, parts) => (depth === 0 ? [] : [parts.slice(0, depth).join(".")])),
  ),
);

type JsonSchemaPart = z.core.JSONSchema.BaseSchema;

/** Every number of the schema has both bounds; a test sees to it. */
function rangeInWords({ minimum, maximum, exclusiveMinimum }: JsonSchemaPart): string {
  return exclusiveMinimum === undefined
    ? ` from ${minimum} to ${maximum}`
    : ` above ${exclusiveMinimum} and at most ${maximum}`;
}

/** What a value of this field must be, in words taken from the schema: `a whole number from 1 to 64`. */
export function expectationOf(field: ConfigField): string {
  if (field.path === "target.apiKeyEnv") {
    return "the name of an environment variable (letters, digits, _)";
  }
  const whole: JsonSchemaPart = z.toJSONSchema(field.schema, { io: "input" });
  const part = whole.anyOf?.find((candidate) => candidate.type !== "null") ?? whole;
  if (part.enum !== undefined) {
    return `one of ${part.enum.join(", ")}`;
  }
  switch (part.type) {
    case "integer":
      return `a whole number${rangeInWords(part)}`;
    case "number":
      return `a number${rangeInWords(part)}`;
    case "boolean":
      return "true or false";
    case "array":
      return `a list of at most ${part.maxItems ?? "any"} non-empty texts`;
    case "object":
      return "a JSON object";
    default:
      return part.format === "uri" ? "an http or https URL" : "a non-empty text";
  }
}

/** Values of these fields may be a secret put in the wrong place, so messages never repeat them. */
const neverShown = new Set(["target.apiKeyEnv"]);

const SHOWN_CHARS = 60;

/** JSON writes a number that is too large for it as null. */
function finiteOrName(_: string, value: unknown): unknown {
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
}

/** A rejected value as a message shows it: JSON, shortened, and nothing that may be a secret. */
export function shownValue(path: string, value: unknown): string {
  if (neverShown.has(path)) {
    return "another text";
  }
  if (typeof value === "number") {
    return String(value);
  }
  const text = typeof value === "string" ? value.replace(/\/\/[^/@]*@/u, "//…@") : value;
  const json = JSON.stringify(text, finiteOrName) ?? String(text);
  return json.length <= SHOWN_CHARS ? json : `${json.slice(0, SHOWN_CHARS)}…`;
}
