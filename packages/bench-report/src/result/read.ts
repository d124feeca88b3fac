import { RUN_SCHEMA, type RunResult } from "@onpar/sweep-runner";
import type { z } from "zod";

import { ReportError } from "../errors.ts";
import { isRun, runSchema } from "./run-schema.ts";
import { RESULT_SCHEMA, resultSchema, type Result } from "./schema.ts";

/** Characters of a result file that are read at most. */
export const MOST_RESULT_CHARS = 512 * 2 ** 20;

/**
 * A value as JSON, bounded.
 *
 * @throws {ReportError} naming the file, and the place where the JSON breaks off
 */
export function parseJson(text: string, name: string): unknown {
  if (text.length > MOST_RESULT_CHARS) {
    throw new ReportError("TOO_LARGE", `${name}: has more than ${MOST_RESULT_CHARS} characters`);
  }
  try {
    return JSON.parse(text.startsWith("\ufeff") ? text.slice(1) : text) as unknown;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ReportError("RESULT_INVALID", `${name}: is no JSON (${reason})`, { cause: error });
  }
}

/** What a JSON value says of its own format; null when it says nothing. */
export function schemaOf(value: unknown): string | null {
  if (typeof value !== "object" || value === null || !("schema" in value)) return null;
  return typeof value.schema === "string" ? value.schema : null;
}

/**
 * A run's result (`onpar.run/2`) as it was written.
 *
 * @throws {ReportError} naming the first field that is not what it ought to be
 */
export function readRun(value: unknown, name: string): RunResult {
  if (isRun(value)) return value;
  const schema = schemaOf(value);
  if (schema !== null && schema !== RUN_SCHEMA && schema.startsWith("onpar.run/")) {
    throw new ReportError("RESULT_INVALID", `${name}: is of schema ${schema}, and ${RUN_SCHEMA} is read`);
  }
  throw invalid(name, RUN_SCHEMA, runSchema.safeParse(value).error);
}

/**
 * A result (`onpar.result/1`) as it was written.
 *
 * @throws {ReportError} naming the first field that is not what it ought to be
 */
export function readResult(value: unknown, name: string): Result {
  const parsed = resultSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const schema = schemaOf(value);
  if (schema !== null && schema !== RESULT_SCHEMA && schema.startsWith("onpar.result/")) {
    throw new ReportError("RESULT_INVALID", `${name}: is of schema ${schema}, and ${RESULT_SCHEMA} is read`);
  }
  throw invalid(name, RESULT_SCHEMA, parsed.error);
}

function invalid(name: string, schema: string, error: z.ZodError | undefined): ReportError {
  const issue = error?.issues[0];
  const what = issue === undefined ? "unknown" : `${issue.path.join(".") || "the whole"}: ${issue.message}`;
  return new ReportError("RESULT_INVALID", `${name}: is no result of schema ${schema} (${what})`);
}

/** A result as a file: two-space JSON and a newline. */
export function resultToJson(result: Result): string {
  return `${JSON.stringify(result, null, 2)}\n`;
}
