import {
  benchConfigSchema,
  ConfigError,
  configFields,
  type BenchConfig,
  type ConfigIssue,
} from "@onpar/bench-config";

import { engineIssues } from "./engine-options.ts";

/**
 * Settings that describe a run and that the runner does not carry out, by path or group. A run that silently ignored one
 * would be another run than the one that was asked for. Whoever builds one takes its line out.
 */
export const unsupported: Readonly<Record<string, string>> = {
  "repetition.boots": "a run does not start the server; onpar sweep does",
  sweep: "a run measures one point; onpar sweep measures several",
  server: "a run measures a server that runs already; onpar sweep starts one",
};

const defaults = benchConfigSchema.parse({});

/** Every setting that was changed and would have no effect, one line each. */
export function unsupportedSettings(
  config: BenchConfig,
  spelled: (path: string) => string,
  carriedOut: readonly string[] = [],
): readonly ConfigIssue[] {
  const isChanged = (path: string): boolean => !isSame(at(config, path), at(defaults, path));
  const issues: readonly ConfigIssue[] = configFields.flatMap(({ path }) => {
    const reason = reasonFor(path);
    if (reason === null || !isChanged(path) || carriedOut.some((one) => isWithin(path, one))) return [];
    return [{ path, origin: spelled(path), message: `cannot be honoured by this version: ${reason}` }];
  });
  return [...issues, ...engineIssues(config, spelled, isChanged)];
}

/**
 * @param carriedOut settings, or groups of them, that the command carries out although a run does not
 * @throws {ConfigError} with a line for each setting that would have no effect
 */
export function refuseUnsupported(
  config: BenchConfig,
  spelled: (path: string) => string,
  carriedOut: readonly string[] = [],
): void {
  const issues = unsupportedSettings(config, spelled, carriedOut);
  if (issues.length > 0) throw new ConfigError(issues);
}

function reasonFor(path: string): string | null {
  return unsupported[path] ?? unsupported[path.split(".")[0] ?? ""] ?? null;
}

function isWithin(path: string, group: string): boolean {
  return path === group || path.startsWith(`${group}.`);
}

function at(config: BenchConfig, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>(
      (value, key) => (typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined),
      config,
    );
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
