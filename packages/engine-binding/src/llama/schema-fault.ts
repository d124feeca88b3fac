import { constraintsBesides, isSchema } from "./readable-schema.ts";

/** Counts that become repetitions of a grammar, and how far those go in llama.cpp. */
const COUNTS = ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"];
const MAX_REPETITIONS = 2000;
const TYPES = ["object", "array", "string", "number", "integer", "boolean", "null"];
/** Keywords that a grammar of node-llama-cpp does not hold an output to. */
const UNHELD = new Set([
  "pattern",
  "patternProperties",
  "propertyNames",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "not",
  "if",
  "contains",
  "dependentRequired",
  "dependentSchemas",
  "unevaluatedItems",
  "unevaluatedProperties",
]);
/** Keywords whose values are schemas by name, lists of schemas, or one schema. */
const MAPS = ["$defs", "properties"];
const LISTS = ["anyOf", "oneOf", "allOf", "prefixItems"];
const ONE = ["items", "additionalProperties"];

/**
 * What llama.cpp and the schemas that node-llama-cpp reads cannot express, where it would be let pass with a line on
 * stderr, or without a word, instead of a refusal.
 *
 * @param schema no deeper than the call stack
 * @param defined names that references may use
 * @returns what is wrong, with the path to it; null when nothing was found
 */
export function schemaFault(
  schema: unknown,
  path = "#",
  defined: ReadonlySet<string> = new Set(),
): string | null {
  if (schema === false && !path.endsWith("/additionalProperties")) return `${path}: no output is allowed`;
  if (!isSchema(schema)) return null;
  const known = isSchema(schema["$defs"]) ? new Set([...defined, ...Object.keys(schema["$defs"])]) : defined;
  for (const [name, value] of Object.entries(schema)) {
    const at = `${path}/${name}`;
    const fault = keywordFault(schema, name, at, known) ?? innerFault(name, value, at, known);
    if (fault !== null) return fault;
  }
  return null;
}

function keywordFault(
  schema: Readonly<Record<string, unknown>>,
  name: string,
  at: string,
  defined: ReadonlySet<string>,
): string | null {
  const value = schema[name];
  if (UNHELD.has(name) || (name === "uniqueItems" && value === true)) {
    return `${at}: outputs cannot be held to this keyword`;
  }
  if (name === "$ref" && typeof value === "string") return referenceFault(value, at, defined);
  if (name === "type") {
    const unknown = [value].flat().find((type) => typeof type === "string" && !TYPES.includes(type));
    return unknown === undefined ? null : `${at}: there is no type ${JSON.stringify(unknown)}`;
  }
  if (COUNTS.includes(name) && typeof value === "number" && value > MAX_REPETITIONS) {
    return `${at}: at most ${MAX_REPETITIONS} are possible, got ${value}`;
  }
  const isOneOfSeveral = name === "anyOf" || name === "oneOf" || name === "allOf";
  const others = isOneOfSeveral ? constraintsBesides(schema, name, "$defs") : [];
  if (others.length > 0) return `${at}: cannot stand beside ${others[0]}`;
  if (name === "allOf" && Array.isArray(value) && value.length > 1) {
    return `${at}: outputs cannot be held to several schemas at once`;
  }
  return null;
}

function referenceFault(reference: string, at: string, defined: ReadonlySet<string>): string | null {
  const prefix = "#/$defs/";
  if (!reference.startsWith(prefix)) {
    return `${at}: a reference must begin with ${prefix}, got ${JSON.stringify(reference)}`;
  }
  return defined.has(reference.slice(prefix.length)) ? null : `${at}: there is no ${reference}`;
}

function innerFault(name: string, value: unknown, at: string, defined: ReadonlySet<string>): string | null {
  const inner: (readonly [string, unknown])[] = [];
  if (MAPS.includes(name) && isSchema(value)) inner.push(...Object.entries(value));
  else if (LISTS.includes(name) && Array.isArray(value)) {
    inner.push(...value.map((one: unknown, index) => [String(index), one] as const));
  } else if (ONE.includes(name)) return schemaFault(value, at, defined);
  for (const [key, one] of inner) {
    const fault = schemaFault(one, `${at}/${key}`, defined);
    if (fault !== null) return fault;
  }
  return null;
}
