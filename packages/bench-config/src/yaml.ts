import { stringify } from "yaml";
import { configFields } from "./fields.ts";
import { nest } from "./layers.ts";
import type { ConfigSource } from "./layers.ts";
import type { BenchConfig } from "./schema.ts";
import { valueAt } from "./values.ts";

/** Which settings are written. */
export interface YamlOptions {
  /** Only settings of these sources; all of them when left out. */
  readonly sources?: ReadonlySet<ConfigSource>;
  readonly provenance?: ReadonlyMap<string, ConfigSource>;
}

/** A configuration as a YAML file that resolves to the same configuration. */
export function configToYaml(config: BenchConfig, { sources, provenance }: YamlOptions = {}): string {
  const chosen = configFields.filter(
    ({ path }) => sources === undefined || sources.has(provenance?.get(path) ?? "defaults"),
  );
  const value = nest(new Map(chosen.map(({ path }) => [path, valueAt(config, path)])));
  return settingsToYaml(value);
}

/** Nested settings as YAML, as a file has them. */
export function settingsToYaml(settings: Readonly<Record<string, unknown>>): string {
  return stringify(settings, { lineWidth: 0, version: "1.2" });
}
