import type { ConfigIssue, Place } from "./error.ts";
import type { ConfigField } from "./fields.ts";
import { fieldChecks, readAxes, withUnitRead } from "./field-checks.ts";
import { configFields, configGroups, fieldAt, isWithin } from "./fields.ts";
import { nearestPath } from "./suggest.ts";
import { isPlainObject } from "./values.ts";
import { mismatch, shownValue } from "./words.ts";

/** Where a value comes from. Later ones win: defaults < preset < file < env < flags. */
export type ConfigSource = "defaults" | "preset" | "file" | "env" | "flags";

/** A part of a configuration from one source. */
export interface ConfigLayer {
  readonly source: ConfigSource;
  /** Nested like the configuration; only what this source sets. Unknown keys are refused. */
  readonly value: Readonly<Record<string, unknown>>;
  /** How the user wrote a field, by path, for messages: `ignoreEos` -> `--no-ignore-eos`. */
  readonly origin?: ReadonlyMap<string, string>;
  /** Line and column of a field in its file, by path. */
  readonly places?: ReadonlyMap<string, Place>;
  /** Whether a part could not be read, so that what several settings mean together is not certain. */
  readonly isPartial?: boolean;
  /** What was wrong already when the layer was read; reported together with everything else. */
  readonly issues?: readonly ConfigIssue[];
}

export type Provenance = Map<string, ConfigSource>;

/** Valid values by path, before the rules that look at several fields. */
export interface MergedLayers {
  readonly values: Map<string, unknown>;
  /** Index of the layer that set a path; -1 for a default. */
  readonly rank: Map<string, number>;
  readonly provenance: Provenance;
  readonly origins: Map<string, string>;
  readonly places: Map<string, Place>;
  readonly issues: ConfigIssue[];
  /** Paths with an issue; their value is the default and rules must not look at it. */
  readonly invalid: Set<string>;
}

/** Deepest nesting of a value: what JSON a person writes stays far below it. */
const MAX_DEPTH = 32;

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) {
    return false;
  }
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}

function originIn(layer: ConfigLayer, path: string): string {
  return layer.origin?.get(path) ?? `${path} (${layer.source})`;
}

function placeIn(layer: ConfigLayer | undefined, path: string): { place?: Place } {
  const place = layer?.places?.get(path);
  return place === undefined ? {} : { place };
}

function mergeValue(before: unknown, now: unknown): unknown {
  return isPlainObject(before) && isPlainObject(now) ? { ...before, ...now } : now;
}

class Merger {
  readonly merged: MergedLayers = {
    values: new Map(configFields.map((field) => [field.path, field.default])),
    rank: new Map(configFields.map((field) => [field.path, -1])),
    provenance: new Map(configFields.map((field) => [field.path, "defaults" as const])),
    origins: new Map(),
    places: new Map(),
    issues: [],
    invalid: new Set(),
  };

  readonly #layers: ConfigLayer[] = [];

  add(layer: ConfigLayer, rank: number): void {
    this.#layers[rank] = layer;
    for (const issue of layer.issues ?? []) {
      this.#refuse(issue);
    }
    this.#addObject(layer, rank, layer.value, "");
  }

  /** Checks every set value against its field; a rejected one gives way to the default. */
  validate(): void {
    for (const field of configFields) {
      const { path } = field;
      if (this.merged.rank.get(path) !== -1 && !this.merged.invalid.has(path)) {
        this.#validateField(field);
      }
    }
  }

  #validateField(field: ConfigField): void {
    const { path } = field;
    const given = this.merged.values.get(path);
    if (isDeeperThan(given, MAX_DEPTH)) {
      this.#reject(field, `nested deeper than ${MAX_DEPTH} levels`, []);
      return;
    }
    const value = path === "sweep.axes" ? readAxes(given) : withUnitRead(path, given);
    const result = field.schema.safeParse(value);
    if (!result.success) {
      this.#reject(field, mismatch(field, given), result.error.issues[0]?.path ?? []);
      return;
    }
    const unfulfilled = fieldChecks.get(path)?.(value) ?? null;
    if (unfulfilled === null) {
      this.merged.values.set(path, result.data);
    } else {
      this.#reject(field, unfulfilled.message, unfulfilled.at);
    }
  }

  #reject({ path, default: fallback }: ConfigField, message: string, inner: readonly PropertyKey[]): void {
    const layer = this.#layers[this.merged.rank.get(path) ?? -1];
    // The part of the value that is wrong, where its layer knows places that deep.
    const depths = inner.map((_, index) => [path, ...inner.slice(0, index + 1).map(String)].join("."));
    const where = depths.findLast((part) => layer?.origin?.has(part) === true) ?? path;
    const origin = layer?.origin?.get(where) ?? this.merged.origins.get(path) ?? path;
    this.#refuse({ path, origin, message, ...placeIn(layer, where) });
    this.merged.values.set(path, fallback);
  }

  #addObject(
    layer: ConfigLayer,
    rank: number,
    object: Readonly<Record<string, unknown>>,
    prefix: string,
  ): void {
    const { values, provenance, origins } = this.merged;
    for (const [key, value] of Object.entries(object)) {
      const path = `${prefix}${key}`;
      if (value === undefined) {
        continue;
      }
      if (configGroups.has(path)) {
        if (isPlainObject(value)) {
          this.#addObject(layer, rank, value, `${path}.`);
        } else {
          const message = `expected an object of settings, got ${shownValue(path, value)}`;
          this.#refuse({ path, origin: originIn(layer, path), message, ...placeIn(layer, path) });
        }
      } else if (fieldAt(path) === undefined) {
        this.#refuseUnknown(layer, path);
      } else {
        if (this.merged.rank.get(path) === rank) {
          const message = "is set twice, nested and by its path; keep one";
          this.#refuse({ path, origin: originIn(layer, path), message, ...placeIn(layer, path) });
        }
        values.set(path, mergeValue(values.get(path), value));
        this.merged.rank.set(path, rank);
        const { place } = placeIn(layer, path);
        if (place === undefined) {
          this.merged.places.delete(path);
        } else {
          this.merged.places.set(path, place);
        }
        provenance.set(path, layer.source);
        origins.set(path, originIn(layer, path));
      }
    }
  }

  #refuseUnknown(layer: ConfigLayer, path: string): void {
    const near = nearestPath(path, [...configFields.map((field) => field.path), ...configGroups]);
    const message = near === null ? "unknown setting" : `unknown setting; did you mean ${near}?`;
    this.#refuse({ path, origin: originIn(layer, path), message, ...placeIn(layer, path) });
  }

  #refuse(issue: ConfigIssue): void {
    this.merged.issues.push(issue);
    this.merged.invalid.add(issue.path);
    for (const { path } of configFields) {
      if (isWithin(path, issue.path)) {
        this.merged.invalid.add(path);
      }
    }
  }
}

/** Merges the layers in order, field by field, and checks each field on its own. Never throws. */
export function mergeLayers(layers: readonly ConfigLayer[]): MergedLayers {
  const merger = new Merger();
  layers.forEach((layer, rank) => merger.add(layer, rank));
  merger.validate();
  return merger.merged;
}

/** Builds the nested configuration from values by path. Undefined values become no key. */
export function nest(values: ReadonlyMap<string, unknown>): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  const groups = new Map<string, Record<string, unknown>>([["", root]]);
  const groupAt = (path: string): Record<string, unknown> => {
    const known = groups.get(path);
    if (known !== undefined) {
      return known;
    }
    const group: Record<string, unknown> = {};
    const dot = path.lastIndexOf(".");
    groupAt(path.slice(0, Math.max(dot, 0)))[path.slice(dot + 1)] = group;
    groups.set(path, group);
    return group;
  };
  for (const [path, value] of values) {
    if (value !== undefined) {
      const dot = path.lastIndexOf(".");
      groupAt(path.slice(0, Math.max(dot, 0)))[path.slice(dot + 1)] = value;
    }
  }
  return root;
}
