import { fieldAt, configFields, isWithin } from "./fields.ts";
import type { ConfigLayer } from "./layers.ts";
import { harnessPresets } from "./presets/harnesses.ts";
import { ladderPresets } from "./presets/ladders.ts";
import type { Preset } from "./presets/preset.ts";
import { benchConfigSchema } from "./schema.ts";
import type { BenchConfig } from "./schema.ts";
import { deepFreeze, isPlainObject, valueAt } from "./values.ts";

/** Every preset, in the order in which they are told. */
export const presets: readonly Preset[] = deepFreeze([...ladderPresets, ...harnessPresets]);

/** The preset of a name; undefined where there is none. */
export function presetNamed(name: string): Preset | undefined {
  return presets.find((preset) => preset.name === name);
}

function leaves(value: Readonly<Record<string, unknown>>, prefix = ""): [string, unknown][] {
  return Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    const path = `${prefix}${key}`;
    return isPlainObject(inner) && fieldAt(path) === undefined ? leaves(inner, `${path}.`) : [[path, inner]];
  });
}

/** The settings of a preset as the lowest layer over the defaults. */
export function configLayerFromPreset(preset: Preset): ConfigLayer {
  const origin = new Map(leaves(preset.settings).map(([path]) => [path, `${path} (preset ${preset.name})`]));
  return { source: "preset", value: preset.settings, origin };
}

/** What changes no figure, or only says more about the same run. */
const besideProtocol = [
  "preset",
  "target.baseUrl",
  "target.model",
  "target.apiKeyEnv",
  "target.metricsUrl",
  "target.metricsUrls",
  "target.headers",
  "target.caFile",
  "target.insecureTls",
  "engine",
  "tokenizer",
  "requestTimeoutMs",
  "slos",
  "client",
  "sweep",
  "server",
  "speculation",
  "declared",
  "output",
  "outputJson",
  "outputCsv",
  "outputMarkdown",
  "outputHtml",
  "outputTokenIds",
];

/** One setting that leaves a published protocol. */
export interface PresetDeparture {
  readonly path: string;
  /** As the preset has it; undefined for what is absent there. */
  readonly published: unknown;
  readonly actual: unknown;
}

/** The configuration of a preset alone, whatever else it needs to run. */
function published(preset: Preset): BenchConfig {
  return benchConfigSchema.parse(preset.settings);
}

/** The output cap is one thing, however it is written. */
function settingAt(config: BenchConfig, path: string): unknown {
  if (path === "maxTokens" || path === "outputLen") {
    return config.maxTokens ?? config.outputLen;
  }
  // On an endpoint that takes messages the template is the server's, skipped or not.
  return path === "skipChatTemplate" && config.target.endpoint === "chat-completions"
    ? false
    : valueAt(config, path);
}

/**
 * The settings by which a configuration leaves the preset that it starts from. Empty without a preset, for one that is
 * kept, and for settings that the preset leaves to whoever runs it.
 */
export function presetDepartures(config: BenchConfig): readonly PresetDeparture[] {
  const preset = config.preset === null ? undefined : presetNamed(config.preset);
  if (preset === undefined) {
    return [];
  }
  const original = published(preset);
  const isFree = (path: string): boolean =>
    [...besideProtocol, ...preset.free].some((free) => isWithin(path, free)) ||
    (path === "maxTokens" && preset.free.includes("outputLen"));
  const departures = configFields
    .filter(({ path }) => !isFree(path))
    .map(({ path }) => ({ path, published: settingAt(original, path), actual: settingAt(config, path) }))
    .filter((one) => JSON.stringify(one.published) !== JSON.stringify(one.actual));
  // One cap, told once.
  return departures.filter(
    ({ path }) => path !== "maxTokens" || !departures.some((other) => other.path === "outputLen"),
  );
}

/** A departure in words: `outputLen 200 instead of 512`. */
export function describeDeparture({ path, published: before, actual }: PresetDeparture): string {
  const shown = (value: unknown): string => (value === undefined ? "unset" : JSON.stringify(value));
  return `${path} ${shown(actual)} instead of ${shown(before)}`;
}
