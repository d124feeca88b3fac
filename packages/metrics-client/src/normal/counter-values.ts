import type { CounterId, SeriesSource } from "../dialects/sources.ts";
import type { MetricSample, MetricType } from "../exposition/sample.ts";
import { hasLabels, type PageIndex } from "./page-index.ts";
import { add, type Quantity, ZERO } from "./quantity.ts";

/** One series of a counter: its value since the start, or its increase. */
export interface CounterEntry extends Quantity {
  readonly sample: MetricSample;
}

const VALUE_TYPES: ReadonlySet<MetricType> = new Set(["counter", "untyped"]);
const PART_TYPES: ReadonlySet<MetricType> = new Set(["histogram", "summary", "untyped"]);
const GAUGE_TYPES: ReadonlySet<MetricType> = new Set(["gauge", "untyped"]);

/** The counters of a page, or their increases between two, in the terms of the normal form. */
export class CounterValues {
  readonly #entries: ReadonlyMap<CounterId, readonly CounterEntry[]>;

  constructor(entries: ReadonlyMap<CounterId, readonly CounterEntry[]>) {
    this.#entries = entries;
  }

  /** Sum over all series; null when the server does not tell. */
  get(id: CounterId): Quantity | null {
    const entries = this.#entries.get(id);
    return entries === undefined ? null : entries.reduce<Quantity>(add, ZERO);
  }

  entries(id: CounterId): readonly CounterEntry[] | null {
    return this.#entries.get(id) ?? null;
  }

  /** Sums by draft position; null when there are none, or one has no position. */
  positions(id: "acceptedPerPosition" | "draftedPerPosition"): number[] | null {
    return byPosition((this.#entries.get(id) ?? []).map(({ sample, value }) => [sample, value]));
  }
}

/** Series of a counter on one page, with or without `_total`, never both: a page that has both would count twice. */
export function counterSeries(
  page: PageIndex,
  source: SeriesSource,
  duplicatingLabels: readonly string[],
): readonly MetricSample[] {
  for (const name of sampleNames(source)) {
    const types = source.part === undefined ? VALUE_TYPES : PART_TYPES;
    const found = selected(page, name, types, source);
    if (found.length > 0) return withoutDuplicates(found, duplicatingLabels);
  }
  return [];
}

/** Whether the page announces the counter, with or without series. */
export function announcesCounter(page: PageIndex, source: SeriesSource): boolean {
  return source.names.some((name) =>
    source.part === undefined
      ? page.announces(`${name}_total`) || page.announces(name)
      : page.announces(name),
  );
}

/** Series of a gauge on one page. */
export function gaugeSeries(
  page: PageIndex,
  source: SeriesSource,
  duplicatingLabels: readonly string[],
): readonly MetricSample[] {
  for (const name of source.names) {
    const found = selected(page, name, GAUGE_TYPES, source);
    if (found.length > 0) return withoutDuplicates(found, duplicatingLabels);
  }
  return [];
}

function selected(
  page: PageIndex,
  name: string,
  types: ReadonlySet<MetricType>,
  { preferredLabels }: SeriesSource,
): readonly MetricSample[] {
  const found = page.samples(name).filter(({ type }) => types.has(type));
  if (preferredLabels === undefined) return found;
  const preferred = found.filter((sample) => hasLabels(sample, preferredLabels));
  return preferred.length > 0 ? preferred : found;
}

function sampleNames({ names, part }: SeriesSource): string[] {
  if (part !== undefined) return names.map((name) => `${name}_${part}`);
  return names.flatMap((name) => [`${name}_total`, name]);
}

/** Ranks that work on the same requests publish the same figures: where several do, the first one speaks for all. */
function withoutDuplicates(
  samples: readonly MetricSample[],
  labels: readonly string[],
): readonly MetricSample[] {
  let kept = samples;
  for (const label of labels) {
    const ranks = new Set(kept.map((sample) => sample.labels[label] ?? "0"));
    if (ranks.size > 1 && ranks.has("0"))
      kept = kept.filter((sample) => (sample.labels[label] ?? "0") === "0");
  }
  return kept;
}

/** More positions than any engine drafts: a larger label is not one. */
const MAX_POSITION = 1023;

/**
 * Values by draft position, summed over engines; positions that are missing below the highest one are 0. Null when there
 * are no series, or when one has no position that can be read.
 */
export function byPosition(entries: Iterable<readonly [MetricSample, number]>): number[] | null {
  const positions: number[] = [];
  for (const [{ labels }, value] of entries) {
    const label = labels["position"] ?? labels["token_position"] ?? labels["pos"] ?? "";
    const position = /^\d{1,4}$/.test(label) ? Number(label) : Number.NaN;
    if (!(position <= MAX_POSITION)) return null;
    while (positions.length <= position) positions.push(0);
    positions[position] = (positions[position] ?? 0) + value;
  }
  return positions.length === 0 ? null : positions;
}
