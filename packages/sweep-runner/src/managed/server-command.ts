import type { BenchConfig } from "@onpar/bench-config";
import { RunError } from "../errors.ts";

const PLACEHOLDER = /\{([A-Za-z][\w.]*)\}/g;

/**
 * The command of the server under test with its placeholders filled in: `--draft-tokens={speculation.draftTokens}` takes the
 * setting of that name, so that a swept setting can be one of the server's. Braces around anything else stay as they are,
 * and `{{` stands for one brace.
 *
 * @returns an empty list where this program starts no server
 * @throws {RunError} `SWEEP_INVALID` where a placeholder names a setting that has no value
 */
export function serverCommand(config: BenchConfig): readonly string[] {
  return config.server.command.map((word) =>
    word
      .split("{{")
      .map((part) => part.replace(PLACEHOLDER, (whole, path: string) => fill(config, whole, path)))
      .join("{"),
  );
}

function fill(config: BenchConfig, whole: string, path: string): string {
  const value = valueAt(config, path);
  // JSON in an argument has braces of its own.
  if (value === undefined) return whole;
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") {
    throw new RunError(
      "SWEEP_INVALID",
      `server.command: ${whole} has no value to be filled in: set ${path}, or take the placeholder out`,
    );
  }
  return String(value);
}

function valueAt(config: BenchConfig, path: string): unknown {
  let value: unknown = config;
  for (const key of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}
