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
  "target.metricsUrls": "one metrics page is read",
  "dataset.hitRate": "prefixes are as long as --shared-prefix-len says",
  "dataset.turns": "the first turn of a conversation is sent",
  "dataset.turnDelayMs": "the first turn of a conversation is sent",
  "dataset.traceBlockTokens": "traces are not read",
  "repetition.boots": "a run does not start the server; onpar sweep does",
  sweep: "a run measures one point; onpar sweep measures several",
  server: "a run measures a server that runs already; onpar sweep starts one",
};

/** Kinds of data sets that are generated or read. */
const DATASET_KINDS = new Set<BenchConfig["dataset"]["kind"]>([
  "auto",
  "random-text",
  "shared-prefix",
  "source-code",
  "prompts",
  "sharegpt",
  "openai-batch",
]);
const ENDPOINTS = new Set<BenchConfig["target"]["endpoint"]>([
  "completions",
  "chat-completions",
  "responses",
  "llama-completion",
  "sglang-generate",
  "ollama-chat",
  "engine",
]);

const defaults = benchConfigSchema.parse({});

/** Every setting that was changed and would have no effect, one line each. */
export function unsupportedSettings(
  config: BenchConfig,
  spelled: (path: string) => string,
  carriedOut: readonly string[] = [],
): readonly ConfigIssue[] {
  const isChanged = (path: string): boolean => !isSame(at(config, path), at(defaults, path));
  const issues: ConfigIssue[] = configFields.flatMap(({ path }) => {
    const reason = reasonFor(path);
    if (reason === null || !isChanged(path) || carriedOut.some((one) => isWithin(path, one))) return [];
    return [{ path, origin: spelled(path), message: `cannot be honoured by this version: ${reason}` }];
  });
  if (!DATASET_KINDS.has(config.dataset.kind) && !carriedOut.some((one) => isWithin("dataset.kind", one))) {
    const message = `cannot be honoured by this version: prompts are of the kinds ${[...DATASET_KINDS].join(", ")}`;
    issues.push({ path: "dataset.kind", origin: spelled("dataset.kind"), message });
  }
  issues.push(...engineIssues(config, spelled, isChanged));
  const { endpoint } = config.target;
  if (ENDPOINTS.has(endpoint)) return issues;
  const message = `cannot be honoured by this version: requests go to ${[...ENDPOINTS].join(", ")}`;
  return [{ path: "target.endpoint", origin: spelled("target.endpoint"), message }, ...issues];
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
