import type { Dialect } from "../dialects/dialect.ts";
import { COUNTER_IDS, type CounterId, type SeriesSource } from "../dialects/sources.ts";
import type { MetricSample } from "../exposition/sample.ts";
import { announcesCounter, type CounterEntry, counterSeries, CounterValues } from "./counter-values.ts";
import type { PageIndex } from "./page-index.ts";
import { roundingError } from "./quantity.ts";

/** Summands of a counter of a dialect, each with its id; in the order of the dialect's table. */
export function* counterSources(dialect: Dialect): Generator<readonly [CounterId, readonly SeriesSource[]]> {
  for (const id of COUNTER_IDS) {
    const source = dialect.counters[id];
    if (source !== undefined) yield [id, "names" in source ? [source] : source];
  }
}

/** The series of a counter on a page; null when the page lacks one of its summands. Empty when it is only announced. */
export function seriesOfCounter(
  page: PageIndex,
  sources: readonly SeriesSource[],
  dialect: Dialect,
): MetricSample[] | null {
  const found: MetricSample[] = [];
  for (const source of sources) {
    const series = counterSeries(page, source, dialect.duplicatingLabels);
    if (series.length === 0 && !announcesCounter(page, source)) return null;
    found.push(...series);
  }
  return found;
}

/** How far a printed counter may be off. Counters by position are written whole where others are rounded. */
export function printedError(dialect: Dialect, id: CounterId, value: number): number {
  return id === "acceptedPerPosition" ? 0 : roundingError(value, dialect.significantDigits);
}

/** The counters of a page since the server's start. A counter that is announced and has no series yet is not told. */
export function readCounters(page: PageIndex, dialect: Dialect): CounterValues {
  const values = new Map<CounterId, CounterEntry[]>();
  for (const [id, sources] of counterSources(dialect)) {
    const series = seriesOfCounter(page, sources, dialect);
    if (series === null || series.length === 0) continue;
    values.set(
      id,
      series.map((sample) => ({
        sample,
        value: sample.value,
        plusMinus: printedError(dialect, id, sample.value),
      })),
    );
  }
  return new CounterValues(values);
}
