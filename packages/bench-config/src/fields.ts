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

/** Whether a setting belongs to a group, or is it: `load.rate` belongs to `load`. */
export function isWithin(path: string, group: string): boolean {
  return path === group || path.startsWith(`${group}.`);
}
