import type { PartialProtocol } from "@onpar/bench-config";

import { ReportError } from "../errors.ts";
import { ofValues, statistics } from "../result/make.ts";
import { MOST_RESULT_CHARS } from "../result/read.ts";
import { MOST_VALUES, RESULT_SCHEMA, type Figure, type Point, type Result } from "../result/schema.ts";

/** A JSON object of which nothing is known yet. */
export type Fields = Readonly<Record<string, unknown>>;

/** Reads one format. `name` is the file, for messages and as the title. */
export type Importer = (text: string, name: string) => Result;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A field that holds an object; null where there is none. */
export function fieldsAt(of: Fields | null, ...path: readonly string[]): Fields | null {
  let value: unknown = of;
  for (const key of path) value = isFields(value) ? value[key] : null;
  return isFields(value) ? value : null;
}

/** A finite number; null for anything else. */
export function numberAt(of: Fields | null, ...keys: readonly string[]): number | null {
  for (const key of keys) {
    const value = of?.[key];
    if (typeof value === "number" && Number.isFinite(value)) return value;
  }
  return null;
}

/** A whole number of at least 0; null for anything else. */
export function countAt(of: Fields | null, ...keys: readonly string[]): number | null {
  const value = numberAt(of, ...keys);
  return value === null || value < 0 || !Number.isSafeInteger(Math.round(value)) ? null : Math.round(value);
}

/** A text that is not empty; null for anything else. */
export function textAt(of: Fields | null, ...keys: readonly string[]): string | null {
  for (const key of keys) {
    const value = of?.[key];
    if (typeof value === "string" && value !== "") return value;
  }
  return null;
}

/** A list of numbers, null where an entry is none; null for anything else. Longer than can be kept is left out. */
export function numbersAt(of: Fields | null, key: string): (number | null)[] | null {
  const value = of?.[key];
  if (!Array.isArray(value) || value.length > MOST_VALUES) return null;
  return value.map((one: unknown) => (typeof one === "number" && Number.isFinite(one) ? one : null));
}

/** The objects of a list. */
export function listAt(of: Fields | null, key: string): Fields[] {
  const value = of?.[key];
  return Array.isArray(value) ? value.filter(isFields) : [];
}

export function scaled(value: number | null, factor: number): number | null {
  return value === null ? null : value * factor;
}

/** `{ mean, std, values }` and the like: statistics by the names that a harness gives them. */
export function statisticsAt(
  of: Fields | null,
  names: Readonly<
    Partial<Record<"mean" | "std" | "min" | "p50" | "p90" | "p95" | "p99" | "max" | "n", string>>
  >,
  factor = 1,
): Figure | null {
  const at = (name: keyof typeof names): number | null => {
    const key = names[name];
    return key === undefined ? null : scaled(numberAt(of, key), factor);
  };
  const { n } = names;
  return statistics({
    n: n === undefined ? null : countAt(of, n),
    mean: at("mean"),
    std: at("std"),
    min: at("min"),
    p50: at("p50"),
    p90: at("p90"),
    p95: at("p95"),
    p99: at("p99"),
    max: at("max"),
  });
}

/** Statistics of a source beside its own values: the source's win, the values fill what it does not say. */
export function withValues(of: Figure | null, values: readonly (number | null)[] | null): Figure | null {
  const own = values === null ? null : ofValues(values);
  if (of === null || own === null) return of ?? own;
  const known = Object.fromEntries(Object.entries(of).filter(([, value]) => value !== null));
  return { ...own, ...known };
}

/**
 * JSON as Python writes it: `Infinity` and `NaN` are no JSON, and stand in files of harnesses all the same. The first
 * becomes the text `inf`, the second null.
 *
 * @throws {ReportError} naming the file
 */
export function parsePythonJson(text: string, name: string): unknown {
  if (text.length > MOST_RESULT_CHARS)
    throw new ReportError("TOO_LARGE", `${name}: has more than ${MOST_RESULT_CHARS} characters`);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const plain = text.replaceAll(/"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/g, (found) =>
      found.startsWith('"') ? found : found === "NaN" ? "null" : '"inf"',
    );
    try {
      return JSON.parse(plain) as unknown;
    } catch {
      const reason = error instanceof Error ? error.message : String(error);
      throw new ReportError("IMPORT_INVALID", `${name}: is no JSON (${reason})`, { cause: error });
    }
  }
}

/** One object, a list of them, or one per line. @throws {ReportError} naming file and line */
export function parseObjects(text: string, name: string): Fields[] {
  const trimmed = text.trim();
  const lines = trimmed.split("\n");
  const isLines = lines.length > 1 && isWholeObject(lines[0] ?? "");
  const values: unknown[] = isLines
    ? lines.flatMap((line, index) =>
        line.trim() === "" ? [] : [parsePythonJson(line, `${name}:${index + 1}`)],
      )
    : [parsePythonJson(trimmed, name)].flat();
  const objects = values.filter(isFields);
  if (objects.length === 0) throw new ReportError("IMPORT_INVALID", `${name}: holds no JSON object`);
  return objects;
}

function isWholeObject(line: string): boolean {
  const text = line.trim();
  return text.startsWith("{") && text.endsWith("}");
}

interface ImportedParts {
  readonly format: string;
  readonly tool: string;
  readonly version?: string | null;
  readonly name: string;
  readonly startedAt?: string | null;
  readonly protocol: PartialProtocol;
  readonly points: readonly Point[];
  readonly notes?: readonly string[];
  readonly interrupted?: boolean | null;
}

/** @throws {ReportError} when there is no point with a figure */
export function imported(parts: ImportedParts): Result {
  // What is there may be a file of another format, read as this one by force.
  if (!parts.points.some(({ figures }) => Object.keys(figures).length > 0))
    throw new ReportError("IMPORT_INVALID", `${parts.name}: holds no figure of ${parts.format}`);
  return {
    schema: RESULT_SCHEMA,
    source: { format: parts.format, tool: parts.tool, version: parts.version ?? null },
    title: parts.name,
    startedAt: parts.startedAt ?? null,
    interrupted: parts.interrupted ?? null,
    protocol: parts.protocol,
    points: [...parts.points],
    findings: [],
    notes: [...(parts.notes ?? [])],
  };
}
