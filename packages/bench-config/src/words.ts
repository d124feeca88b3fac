import { z } from "zod";
import type { ConfigField } from "./fields.ts";
import { withoutSecrets } from "./secrets.ts";
import { unitExamples, unitOf } from "./units.ts";

type JsonSchemaPart = z.core.JSONSchema.BaseSchema;

/** Every number of the schema has both bounds; a test sees to it. */
function rangeInWords({ minimum, maximum, exclusiveMinimum }: JsonSchemaPart): string {
  return exclusiveMinimum === undefined
    ? ` from ${minimum} to ${maximum}`
    : ` above ${exclusiveMinimum} and at most ${maximum}`;
}

function isSchemaPart(value: unknown): value is JsonSchemaPart {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function listInWords(part: JsonSchemaPart): string {
  const items = isSchemaPart(part.items) ? part.items : {};
  const what =
    items.properties === undefined
      ? "non-empty texts"
      : `objects with ${Object.keys(items.properties).join(" and ")}`;
  return `a list of at most ${part.maxItems ?? "any"} ${what}`;
}

function objectInWords(part: JsonSchemaPart): string {
  const values = part.additionalProperties;
  return isSchemaPart(values) && values.type === "string" ? "an object of texts" : "a JSON object";
}

function inWords(part: JsonSchemaPart): string {
  if (part.enum !== undefined) {
    return `one of ${part.enum.join(", ")}`;
  }
  if (part.const !== undefined) {
    return String(part.const);
  }
  switch (part.type) {
    case "integer":
      return `a whole number${rangeInWords(part)}`;
    case "number":
      return `a number${rangeInWords(part)}`;
    case "boolean":
      return "true or false";
    case "array":
      return listInWords(part);
    case "object":
      return objectInWords(part);
    default:
      return part.format === "uri" ? "an http or https URL" : "a non-empty text";
  }
}

/** Settings whose values are names of environment variables. */
const variableNames: Readonly<Record<string, string>> = {
  "target.apiKeyEnv": "the name of an environment variable (letters, digits, _)",
  "server.envNames": "a list of names of environment variables (letters, digits, _)",
};

/** What a value of this field must be, in words taken from the schema: `a whole number from 1 to 64`. */
export function expectationOf(field: ConfigField): string {
  const names = variableNames[field.path];
  if (names !== undefined) {
    return names;
  }
  const whole: JsonSchemaPart = z.toJSONSchema(field.schema, { io: "input" });
  const parts = whole.anyOf?.filter(({ type }) => type !== "null") ?? [whole];
  return parts.map(inWords).join(" or ");
}

/** What is wrong with a value of this field, in words. */
export function mismatch(field: ConfigField, value: unknown): string {
  const unit = unitOf(field.path);
  const hint =
    unit === "ms" || unit === "s"
      ? `, or a duration with its unit such as ${unitExamples[unit]}`
      : unit === "rate"
        ? `, or a text such as ${unitExamples[unit]}`
        : "";
  const words = `${expectationOf(field)}${typeof value === "string" ? hint : ""}`;
  return `expected ${words}, got ${shownValue(field.path, value)}`;
}

/** Values of these fields may be a secret put in the wrong place, so messages never repeat them. */
const neverShown = new Set(["target.apiKeyEnv", "target.headers", "target.extraBody", "server.envNames"]);

const SHOWN_CHARS = 60;

/** JSON writes a number that is too large for it as null. */
function finiteOrName(_: string, value: unknown): unknown {
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
}

/** A rejected value as a message shows it: JSON, shortened, and nothing that may be a secret. */
export function shownValue(path: string, value: unknown): string {
  if (neverShown.has(path)) {
    return typeof value === "string" ? "another text" : "another value";
  }
  if (typeof value === "number") {
    return String(value);
  }
  const json = withoutSecrets(JSON.stringify(value, finiteOrName) ?? String(value));
  return json.length <= SHOWN_CHARS ? json : `${json.slice(0, SHOWN_CHARS)}…`;
}
