import { z } from "zod";

import { ApiError } from "../http/api-error.ts";
import { refuseUnsupported, type Refusal } from "./refusals.ts";

/** A request that was understood, and the fields of it that were not. */
export interface ReadRequest<T> {
  readonly value: T;
  /** Names of top-level fields that this server does not know and did not use. */
  readonly ignored: readonly string[];
}

/** Issues named in one message; a request with more is told to look at these first. */
const maxIssuesNamed = 3;

/** A path as clients write it: `messages[2].content`. */
export function fieldPath(path: readonly PropertyKey[]): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else text += text === "" ? String(part) : `.${String(part)}`;
  }
  return text;
}

interface FlatIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Issues of a union are those of the branch that understood most of the value; none did: the union's own message. */
function flatten(issue: z.core.$ZodIssue, prefix: readonly PropertyKey[] = []): FlatIssue[] {
  const path = [...prefix, ...issue.path];
  if (issue.code !== "invalid_union") return [{ path, message: issue.message }];
  const branches = issue.errors.filter((errors) => errors.some((error) => error.path.length > 0));
  const best = branches[0];
  return best === undefined || branches.length > 1
    ? [{ path, message: issue.message }]
    : best.flatMap((error) => flatten(error, path));
}

function fromZod(error: z.ZodError): ApiError {
  const issues = error.issues.flatMap((issue) => flatten(issue));
  const named = issues.slice(0, maxIssuesNamed).map(({ path, message }) => {
    const text = message.replace(/^Invalid input: /, "");
    return path.length === 0 ? text : `${fieldPath(path)}: ${text}`;
  });
  const more = issues.length - named.length;
  const first = issues[0];
  return new ApiError(400, {
    code: "invalid_value",
    message: named.join("; ") + (more > 0 ? `; and ${more} more` : ""),
    param: first === undefined || first.path.length === 0 ? null : fieldPath(first.path),
  });
}

export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Reads a request body by a schema. Fields that ask for what this server cannot do are refused by name; unknown ones
 * are left out and listed.
 *
 * @throws {ApiError} 400, naming the field
 */
export function readRequest<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  body: unknown,
  refusals: readonly Refusal[] = [],
): ReadRequest<z.output<z.ZodObject<Shape>>> {
  if (!isJsonObject(body)) {
    throw new ApiError(400, { code: "invalid_value", message: "The request body must be a JSON object." });
  }
  refuseUnsupported(body, refusals);
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw fromZod(parsed.error);
  const known: object = schema.shape;
  const settled = new Set(refusals.map((refusal) => refusal.field));
  const ignored = Object.entries(body)
    .filter(([name, value]) => value !== null && !Object.hasOwn(known, name) && !settled.has(name))
    .map(([name]) => name);
  return { value: parsed.data, ignored };
}

const maxNamesInHeader = 32;

/** Value of the header that names ignored fields; null when there are none. */
export function ignoredFieldsHeader(ignored: readonly string[]): string | null {
  if (ignored.length === 0) return null;
  // A header may hold only plain characters, and a client may send any name.
  const names = ignored.slice(0, maxNamesInHeader).map((name) => name.slice(0, 64).replace(/[^\w.-]/g, "?"));
  return names.join(", ") + (ignored.length > maxNamesInHeader ? ", ..." : "");
}
