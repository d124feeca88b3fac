import { ConfigError } from "./error.ts";
import type { ConfigIssue } from "./error.ts";
import { fieldAt } from "./fields.ts";
import { flagSpelling } from "./flags.ts";
import { mergeLayers, nest } from "./layers.ts";
import type { ConfigLayer, ConfigSource, MergedLayers } from "./layers.ts";
import { isServerTemplate } from "./request.ts";
import { applyRules } from "./rules.ts";
import { dependentSettings } from "./rules/dependents.ts";
import type { RuleContext } from "./rules/rule.ts";
import { configLayerFromPreset, presetNamed, presets } from "./presets.ts";
import { benchConfigSchema } from "./schema.ts";
import { nearestPath } from "./suggest.ts";
import type { BenchConfig } from "./schema.ts";
import { deepFreeze } from "./values.ts";
import { shownValue } from "./words.ts";

/** A checked configuration and where each of its values comes from. */
export interface ResolvedConfig {
  /** Frozen, all levels. */
  readonly config: BenchConfig;
  /** Source of every setting, by path (`sampling.topP`). */
  readonly provenance: ReadonlyMap<string, ConfigSource>;
  /** A setting as the user wrote it, for messages: `--stop`, `stop (file)`; its flag where nobody set it. */
  readonly spelled: (path: string) => string;
}

function isSet(merged: MergedLayers, path: string): boolean {
  return (merged.rank.get(path) ?? -1) >= 0;
}

/** Values are JSON, and both come from one schema, so their keys have one order. */
function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function move(merged: MergedLayers, from: string, to: string): void {
  merged.values.set(to, merged.values.get(from));
  merged.rank.set(to, merged.rank.get(from) ?? -1);
  merged.provenance.set(to, merged.provenance.get(from) ?? "defaults");
  const origin = merged.origins.get(from);
  if (origin !== undefined) {
    merged.origins.set(to, origin);
  }
}

function withdraw(merged: MergedLayers, path: string): void {
  merged.values.set(path, fieldAt(path)?.default);
  merged.rank.set(path, -1);
  merged.provenance.set(path, "defaults");
  merged.origins.delete(path);
  merged.places.delete(path);
}

function configOf(merged: MergedLayers): BenchConfig {
  return benchConfigSchema.parse(nest(merged.values));
}

/** A rate without a kind of load means what it means to `vllm bench serve`; the ends of a ramp mean a ramp. */
function implyLoad(merged: MergedLayers, { load }: BenchConfig): void {
  if (isSet(merged, "load.kind")) {
    return;
  }
  const ramp = Object.keys(load.ramp).map((end) => `load.ramp.${end}`);
  const hasRamp = ramp.some((path) => isSet(merged, path));
  if (hasRamp || (isSet(merged, "load.rate") && load.rate !== null)) {
    const from = hasRamp ? (ramp.find((path) => isSet(merged, path)) ?? "load.rate") : "load.rate";
    const kind = hasRamp ? "ramp" : isSet(merged, "load.burstiness") ? "gamma" : "poisson";
    merged.values.set("load.kind", kind);
    merged.rank.set("load.kind", merged.rank.get(from) ?? -1);
    merged.provenance.set("load.kind", merged.provenance.get(from) ?? "defaults");
    merged.origins.set("load.kind", merged.origins.get(from) ?? from);
  }
}

/** The cap has two names, and the later layer decides; one layer that gives two lengths is refused by a rule. */
function settleLength(merged: MergedLayers, config: BenchConfig): void {
  const [cap, length] = [merged.rank.get("maxTokens") ?? -1, merged.rank.get("outputLen") ?? -1];
  if (config.maxTokens !== null && cap > length) {
    move(merged, "maxTokens", "outputLen");
  } else if (config.maxTokens !== null && length > cap) {
    withdraw(merged, "maxTokens");
  }
}

/** Whoever names one length after it was said that outputs are as long as recorded means that length. */
function settleRecordedLengths(merged: MergedLayers): void {
  const recorded = merged.rank.get("dataset.recordedLengths") ?? -1;
  const length = Math.max(merged.rank.get("maxTokens") ?? -1, merged.rank.get("outputLen") ?? -1);
  if (recorded >= 0 && length > recorded) withdraw(merged, "dataset.recordedLengths");
}

/** Who names an engine of this process means the endpoint that runs it. */
function implyEngine(merged: MergedLayers): void {
  if (!isSet(merged, "engine.kind") || isSet(merged, "target.endpoint")) return;
  move(merged, "engine.kind", "target.endpoint");
  merged.values.set("target.endpoint", "engine");
}

/** Makes explicit what the settings imply, so that a stored configuration resolves to itself again. */
function settle(merged: MergedLayers): void {
  implyEngine(merged);
  const config = configOf(merged);
  if (
    config.target.endpoint === "engine" &&
    config.engine.modelPath === null &&
    config.target.model !== null
  ) {
    move(merged, "target.model", "engine.modelPath");
    withdraw(merged, "target.model");
  }
  // The server applies its template whether or not anybody asked: only an explicit wish to skip it is refused.
  if (isServerTemplate(config.target.endpoint) && !isSet(merged, "skipChatTemplate")) {
    merged.values.set("skipChatTemplate", false);
  }
  settleRecordedLengths(merged);
  settleLength(merged, config);
  implyLoad(merged, config);
  // A file made for a server stays usable when a flag chooses the engine, and the other way round.
  let current = configOf(merged);
  for (const { choice, settings, isMeaningless } of dependentSettings) {
    const chosen = merged.rank.get(choice) ?? -1;
    const earlier = settings.filter((path) => {
      const rank = merged.rank.get(path) ?? -1;
      return rank >= 0 && rank < chosen;
    });
    if (earlier.length > 0 && isMeaningless(current)) {
      earlier.forEach((path) => withdraw(merged, path));
      current = configOf(merged);
    }
  }
}

/** The preset that the last layer with one names, below all layers but changed defaults. */
function withPreset(layers: readonly ConfigLayer[]): readonly ConfigLayer[] {
  const chosen = layers.findLast(({ value }) => value["preset"] !== undefined);
  const name = chosen?.value["preset"];
  if (chosen === undefined || typeof name !== "string") {
    return layers;
  }
  const preset = presetNamed(name);
  if (preset === undefined) {
    return layers.map((layer) => (layer === chosen ? withoutPreset(layer, name) : layer));
  }
  const base = layers.filter(({ source }) => source === "defaults");
  return [...base, configLayerFromPreset(preset), ...layers.filter(({ source }) => source !== "defaults")];
}

function withoutPreset(layer: ConfigLayer, name: string): ConfigLayer {
  const names = presets.map((preset) => preset.name);
  const near = nearestPath(name, names);
  const hint = near === null ? `known are ${names.join(", ")}` : `did you mean ${near}?`;
  const origin = layer.origin?.get("preset") ?? `preset (${layer.source})`;
  const place = layer.places?.get("preset");
  const message = `no preset is called ${shownValue("preset", name)}; ${hint}`;
  const issue = { path: "preset", origin, message, ...(place === undefined ? {} : { place }) };
  return { ...layer, issues: [...(layer.issues ?? []), issue] };
}

/** What has a place in the file comes first, from its top to its end. */
function inOrder(issues: readonly ConfigIssue[]): ConfigIssue[] {
  const placed = issues.flatMap((issue) =>
    issue.place === undefined ? [] : [{ issue, place: issue.place }],
  );
  placed.sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column);
  return [...placed.map(({ issue }) => issue), ...issues.filter(({ place }) => place === undefined)];
}

function contextOf(merged: MergedLayers, config: BenchConfig): RuleContext {
  return {
    config,
    isSet: (path) => isSet(merged, path),
    isDeliberate: (path) =>
      isSet(merged, path) &&
      (merged.provenance.get(path) === "flags" || !isEqual(merged.values.get(path), fieldAt(path)?.default)),
    spelled: (path) => merged.origins.get(path) ?? flagSpelling(path),
  };
}

/**
 * Merges layers into one configuration; later layers win. `chatTemplateKwargs` is merged name by name.
 *
 * What the settings imply is made explicit: on chat-completions `skipChatTemplate` is false unless it was set; on
 * the engine endpoint `target.model` names the GGUF file unless `engine.modelPath` is set; `maxTokens` alone sets
 * `outputLen` too; a length that is named after `dataset.recordedLengths` holds for all outputs. A setting that a later layer's choice of endpoint or dataset makes meaningless returns to its
 * default; one of the same or a later layer is refused.
 *
 * @throws ConfigError with every problem of every layer, and every contradiction between valid settings.
 */
export function resolveConfig(layers: readonly ConfigLayer[]): ResolvedConfig {
  const merged = mergeLayers(withPreset(layers));
  settle(merged);
  const config = configOf(merged);
  const context = contextOf(merged, config);
  const isWhole = !layers.some(({ isPartial }) => isPartial === true);
  const refusals = (isWhole ? applyRules(context, merged.invalid) : []).map((issue) => {
    const place = merged.places.get(issue.path);
    return place === undefined ? issue : { ...issue, place };
  });
  const issues = inOrder([...merged.issues, ...refusals]);
  if (issues.length > 0) {
    throw new ConfigError(issues);
  }
  return { config: deepFreeze(config), provenance: merged.provenance, spelled: context.spelled };
}
