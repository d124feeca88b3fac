import type { ConfigIssue } from "./error.ts";
import { benchFlags } from "./flags.ts";
import type { BenchFlag } from "./flags.ts";
import { layerOf } from "./flag-values.ts";
import type { FlagValues } from "./flag-values.ts";
import type { ConfigLayer } from "./layers.ts";
import { nearestPath } from "./suggest.ts";

const PREFIX = "ONPAR_";

/** The variable that sets what a flag sets: `--request-rate` is `ONPAR_REQUEST_RATE`. */
export function variableFor(flag: BenchFlag): string {
  return `${PREFIX}${flag.flag.slice(2).replaceAll("-", "_").toUpperCase()}`;
}

/** What else the environment may hold under the prefix. */
export interface EnvOptions {
  /** Names that are no settings: those of the program, and those that settings name, such as a header's. */
  readonly known?: ReadonlySet<string>;
}

function listOf(text: string): string[] {
  if (!text.trimStart().startsWith("[")) {
    return [text];
  }
  try {
    const list = JSON.parse(text) as unknown;
    return Array.isArray(list) ? list.map(String) : [text];
  } catch {
    return [text];
  }
}

function booleanOf(text: string): boolean | string {
  const word = text.toLowerCase();
  if (word === "true" || word === "1") {
    return true;
  }
  return word === "false" || word === "0" ? false : text;
}

const listKinds = new Set(["string-list", "pairs", "axes"]);

/**
 * Settings from environment variables: one for each flag, written as after the flag; `true`, `false`, `1` or `0` for a flag
 * without a value, and a JSON list for one that may be repeated. An empty variable sets nothing. A name under the
 * prefix that is no setting is refused, unless the options know it. Values are never repeated for it.
 */
export function configLayerFromEnv(
  variables: Readonly<Record<string, string | undefined>>,
  { known = new Set() }: EnvOptions = {},
): ConfigLayer {
  const values: Record<string, FlagValues[string]> = {};
  const names = new Set<string>();
  const issues: ConfigIssue[] = [];
  for (const flag of benchFlags) {
    const name = variableFor(flag);
    names.add(name);
    const text = variables[name];
    if (text === undefined || text === "") {
      continue;
    }
    if (flag.value === "boolean") {
      const value = booleanOf(text);
      if (typeof value === "boolean") {
        values[flag.key] = value;
      } else {
        const message = "expected true, false, 1 or 0, got another text";
        issues.push({ path: flag.path, origin: name, message });
      }
    } else {
      values[flag.key] = listKinds.has(flag.value) ? listOf(text) : text;
    }
  }
  for (const name of Object.keys(variables).filter((one) => one.startsWith(PREFIX))) {
    if (!names.has(name) && !known.has(name)) {
      const near = nearestPath(
        name.slice(PREFIX.length),
        [...names].map((one) => one.slice(PREFIX.length)),
      );
      const hint = near === null ? "" : `; did you mean ${PREFIX}${near}?`;
      issues.push({ path: name, origin: name, message: `is no setting of the environment${hint}` });
    }
  }
  const layer = layerOf("env", values, benchFlags, variableFor);
  return { ...layer, issues: [...issues, ...layer.issues] };
}
