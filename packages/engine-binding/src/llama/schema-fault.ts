/** Counts that become repetitions of a grammar, and how far those go in llama.cpp. */
const COUNTS = ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"];
const MAX_REPETITIONS = 2000;
const TYPES = ["object", "array", "string", "number", "integer", "boolean", "null"];
/** Keywords whose values are data, not schemas. */
const DATA = new Set(["const", "enum", "default", "examples"]);

/**
 * What llama.cpp and the schemas that node-llama-cpp reads cannot express, where it would be let pass with a line on
 * stderr instead of a refusal.
 *
 * @param schema no deeper than the call stack
 * @returns what is wrong, with the path to it; null when nothing was found
 */
export function schemaFault(schema: unknown, path = "#"): string | null {
  if (typeof schema !== "object" || schema === null) return null;
  for (const [name, value] of Object.entries(schema)) {
    const at = `${path}/${name}`;
    if (name === "$ref" && typeof value === "string" && !value.startsWith("#/$defs/")) {
      return `${at}: a reference must begin with #/$defs/, got ${JSON.stringify(value)}`;
    }
    if (name === "type") {
      const unknown = [value].flat().find((type) => typeof type === "string" && !TYPES.includes(type));
      if (unknown !== undefined) return `${at}: there is no type ${JSON.stringify(unknown)}`;
    }
    if (COUNTS.includes(name) && typeof value === "number" && value > MAX_REPETITIONS) {
      return `${at}: at most ${MAX_REPETITIONS} are possible, got ${value}`;
    }
    const fault = DATA.has(name) ? null : schemaFault(value, at);
    if (fault !== null) return fault;
  }
  return null;
}
