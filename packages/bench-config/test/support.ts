import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ConfigError, configLayerFromText, resolveConfig } from "../src/index.ts";
import type { BenchConfig, ConfigIssue, ConfigLayer } from "../src/index.ts";

/** Everything that is refused; empty for layers that are accepted. */
export function issuesOf(...layers: ConfigLayer[]): readonly ConfigIssue[] {
  try {
    resolveConfig(layers);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) {
      return error.issues;
    }
    throw error;
  }
}

/** The lines of the refusal; empty for layers that are accepted. */
export function refusals(...layers: ConfigLayer[]): string[] {
  return issuesOf(...layers).map(({ origin, message }) => `${origin}: ${message}`);
}

/** The configuration of settings as a file has them. */
export function configOf(value: Record<string, unknown>): BenchConfig {
  return resolveConfig([{ source: "file", value }]).config;
}

export function yaml(text: string, name = "f.yaml"): ConfigLayer {
  return configLayerFromText({ name, text });
}

/** A file of the facts beside the project; null where they are not there. */
export function sharedFile(path: string): string | null {
  const file = fileURLToPath(new URL(`../../../../shared/${path}`, import.meta.url));
  return existsSync(file) ? file : null;
}
