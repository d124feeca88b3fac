type Schema = Readonly<Record<string, unknown>>;

/** Keywords that say nothing about what is allowed. */
const ANNOTATIONS = new Set([
  "$schema",
  "$id",
  "$comment",
  "title",
  "description",
  "default",
  "examples",
  "deprecated",
]);

/** Any value. Written out, since a schema without a type is read as `null`. */
const ANY: Schema = {
  oneOf: [
    { type: "string" },
    { type: "number" },
    { type: "boolean" },
    { type: "null" },
    { type: "array" },
    { type: "object", additionalProperties: true },
  ],
};

/** Whether a value is a schema with keywords, not `true` or `false`. */
export function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Constraints of a schema besides those named. */
export function constraintsBesides(schema: Schema, ...names: readonly string[]): string[] {
  return Object.keys(schema).filter((name) => !ANNOTATIONS.has(name) && !names.includes(name));
}

function mapValues(value: unknown, read: (inner: unknown) => unknown): unknown {
  if (!isSchema(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, read(inner)]));
}

/**
 * The same schema as node-llama-cpp reads schemas: it passes over `anyOf`, `allOf` and lists of types that hold objects, and takes
 * a schema without a type for `null`. What it cannot be told at all stays as it is; `schemaFault` names it.
 *
 * @param schema no deeper than the call stack
 */
export function readableSchema(schema: unknown): unknown {
  if (schema === true) return ANY;
  if (!isSchema(schema)) return schema;
  const { $defs, ...rest } = schema;
  const defs = $defs === undefined ? {} : { $defs: mapValues($defs, readableSchema) };
  const alternatives = rest["anyOf"] ?? rest["oneOf"];
  if (Array.isArray(alternatives)) {
    const { anyOf: _, ...others } = rest;
    return { ...others, oneOf: alternatives.map(readableSchema), ...defs };
  }
  const { allOf, ...others } = rest;
  if (Array.isArray(allOf) && allOf.length === 1 && constraintsBesides(rest, "allOf").length === 0) {
    const only: unknown = readableSchema(allOf[0]);
    return isSchema(only) ? { ...others, ...only, ...defs } : only;
  }
  if (Array.isArray(rest["type"])) {
    return { oneOf: rest["type"].map((type: unknown) => readableSchema({ ...rest, type })), ...defs };
  }
  if (constraintsBesides(rest).length === 0) return { ...ANY, ...defs };
  return { ...withReadableParts(rest), ...defs };
}

function withReadableParts(schema: Schema): Schema {
  const read: Record<string, unknown> = { ...schema };
  const { type, properties, required, items, prefixItems, additionalProperties } = schema;
  if (items !== undefined) read["items"] = readableSchema(items);
  if (Array.isArray(prefixItems)) read["prefixItems"] = prefixItems.map(readableSchema);
  if (isSchema(additionalProperties)) read["additionalProperties"] = readableSchema(additionalProperties);
  if (type !== "object") return read;
  // Every property that is named is written, so one that is demanded has to be named.
  const demanded = Array.isArray(required)
    ? Object.fromEntries(required.map((name) => [String(name), ANY]))
    : {};
  const named = mapValues(properties ?? {}, readableSchema);
  read["properties"] = isSchema(named) ? { ...demanded, ...named } : named;
  const isOpen = properties === undefined && required === undefined && additionalProperties === undefined;
  if (isOpen) read["additionalProperties"] = true;
  return read;
}
