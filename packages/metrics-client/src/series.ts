import type { MetricSample, MetricType } from "./sample.ts";

/** Which series of a page are meant. */
export interface SeriesSelection {
  /**
   * What stands before the metric's own name, for example `vllm:`. Default: whatever stands there, `vllm:` first when a
   * page has several.
   */
  readonly prefix?: string;
  /** Only series with these label values, for example one model of several. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** Names under which one counter is published, without prefix and `_total`; the current name first. */
export interface CounterName {
  readonly names: readonly string[];
  /** Also found when anything stands before the name, not only nothing or a word that ends with a colon. */
  readonly anyPrefix?: boolean;
  /** The number of observations of a histogram, which never ends with `_total`. */
  readonly histogramCount?: boolean;
}

/** The counters this package reads, with the names that vLLM and engines with the same schema gave them over time. */
export const COUNTERS = {
  verifySteps: { names: ["spec_decode_num_drafts"], anyPrefix: true },
  draftTokens: { names: ["spec_decode_num_draft_tokens"], anyPrefix: true },
  acceptedTokens: { names: ["spec_decode_num_accepted_tokens"], anyPrefix: true },
  acceptedPerPosition: { names: ["spec_decode_num_accepted_tokens_per_pos"], anyPrefix: true },
  promptTokens: { names: ["prompt_tokens"] },
  generationTokens: { names: ["generation_tokens", "tokens_predicted"] },
  requestsFinished: { names: ["request_success"] },
  prefixCacheQueries: { names: ["prefix_cache_queries", "gpu_prefix_cache_queries"] },
  prefixCacheHits: { names: ["prefix_cache_hits", "gpu_prefix_cache_hits"] },
  firstTokens: { names: ["time_to_first_token_seconds_count"], histogramCount: true },
} as const satisfies Record<string, CounterName>;

export type CounterId = keyof typeof COUNTERS;

export const COUNTER_IDS: readonly CounterId[] = [
  "verifySteps",
  "draftTokens",
  "acceptedTokens",
  "acceptedPerPosition",
  "promptTokens",
  "generationTokens",
  "requestsFinished",
  "prefixCacheQueries",
  "prefixCacheHits",
  "firstTokens",
];

/** Series of one metric, as found on one page. */
export interface FoundSeries {
  /** Sample name as on the page. */
  readonly name: string;
  readonly samples: readonly MetricSample[];
}

/** Finds the series of a counter; null when the page has none. Series without a value (NaN) are left out. */
export function findCounter(
  samples: readonly MetricSample[],
  counter: CounterName,
  selection: SeriesSelection = {},
): FoundSeries | null {
  const types = counter.histogramCount === true ? HISTOGRAM_COUNT_TYPES : COUNTER_TYPES;
  for (const name of counter.names) {
    // With or without `_total`, never both: a page that has both would count twice.
    for (const suffix of counter.histogramCount === true ? [""] : ["_total", ""]) {
      const found = findByName(samples, `${name}${suffix}`, types, counter.anyPrefix === true, selection);
      if (found !== null) return found;
    }
  }
  return null;
}

/** Whether a page announces the counter (a TYPE or HELP line), with or without series. */
export function announcesCounter(
  familyNames: Iterable<string>,
  counter: CounterName,
  selection: SeriesSelection = {},
): boolean {
  const names = counter.names.map((name) =>
    counter.histogramCount === true ? name.replace(/_count$/, "") : name,
  );
  for (const family of familyNames) {
    const bare = family.endsWith("_total") ? family.slice(0, -6) : family;
    for (const name of names) {
      if (!bare.endsWith(name)) continue;
      const prefix = bare.slice(0, bare.length - name.length);
      if (isWantedPrefix(prefix, counter.anyPrefix === true, selection.prefix)) return true;
    }
  }
  return false;
}

/** Finds the series of a gauge; null when the page has none. Series without a value (NaN) are left out. */
export function findGauge(
  samples: readonly MetricSample[],
  names: readonly string[],
  selection: SeriesSelection = {},
): FoundSeries | null {
  for (const name of names) {
    const found = findByName(samples, name, GAUGE_TYPES, false, selection);
    if (found !== null) return found;
  }
  return null;
}

const COUNTER_TYPES: ReadonlySet<MetricType> = new Set(["counter", "untyped"]);
const HISTOGRAM_COUNT_TYPES: ReadonlySet<MetricType> = new Set(["histogram", "summary", "untyped"]);
const GAUGE_TYPES: ReadonlySet<MetricType> = new Set(["gauge", "untyped"]);

function findByName(
  samples: readonly MetricSample[],
  name: string,
  types: ReadonlySet<MetricType>,
  anyPrefix: boolean,
  selection: SeriesSelection,
): FoundSeries | null {
  const byName = new Map<string, MetricSample[]>();
  for (const sample of samples) {
    if (!sample.name.endsWith(name) || Number.isNaN(sample.value) || !types.has(sample.type)) continue;
    const prefix = sample.name.slice(0, sample.name.length - name.length);
    if (!isWantedPrefix(prefix, anyPrefix, selection.prefix) || !hasLabels(sample, selection.labels))
      continue;
    const list = byName.get(sample.name);
    if (list === undefined) byName.set(sample.name, [sample]);
    else list.push(sample);
  }
  const chosen = byName.has(`vllm:${name}`) ? `vllm:${name}` : byName.keys().next().value;
  return chosen === undefined ? null : { name: chosen, samples: byName.get(chosen) ?? [] };
}

const COLON_PREFIX = /^(?:[a-zA-Z_][a-zA-Z0-9_]*:)?$/;

function isWantedPrefix(prefix: string, anyPrefix: boolean, wanted: string | undefined): boolean {
  if (wanted !== undefined) return prefix === wanted;
  // A word before the name can change its meaning (`external_prefix_cache_queries`), a prefix with a colon cannot.
  return anyPrefix || COLON_PREFIX.test(prefix);
}

/** Whether the sample carries all the given label values. */
export function hasLabels(
  sample: MetricSample,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  if (labels === undefined) return true;
  return Object.entries(labels).every(([name, value]) => sample.labels[name] === value);
}

/** One string for name and labels, whatever their order on the page. */
export function seriesKey(sample: MetricSample): string {
  const labels = Object.entries(sample.labels).toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)));
  if (labels.length === 0) return sample.name;
  return `${sample.name}{${labels.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(",")}}`;
}

/** Sum over all series; null when the counter was not found. */
export function sumOf(series: FoundSeries | null): number | null {
  return series === null ? null : series.samples.reduce((total, sample) => total + sample.value, 0);
}

/** More positions than any engine drafts: a larger label is not one. */
const MAX_POSITION = 1023;

/**
 * Values by draft position, summed over engines; positions that are missing below the highest one are 0. Null when there
 * are no series, or when one has no position that can be read.
 */
export function byPosition(entries: Iterable<readonly [MetricSample, number]>): number[] | null {
  const positions: number[] = [];
  for (const [sample, value] of entries) {
    const label = sample.labels["position"] ?? sample.labels["pos"] ?? "";
    const position = /^\d{1,4}$/.test(label) ? Number(label) : Number.NaN;
    if (!(position <= MAX_POSITION)) return null;
    while (positions.length <= position) positions.push(0);
    positions[position] = (positions[position] ?? 0) + value;
  }
  return positions.length === 0 ? null : positions;
}
