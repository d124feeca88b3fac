import type { Dialect } from "../dialects/dialect.ts";
import type { SeriesSource, Staleness } from "../dialects/sources.ts";
import { gaugeSeries } from "./counter-values.ts";
import type { PageIndex } from "./page-index.ts";

/** What a server says it is doing now. A figure the page does not carry is null, never 0. */
export interface BusyState {
  readonly running: number | null;
  readonly waiting: number | null;
  /**
   * False when something runs or waits. True when nothing does and the page tells both; null when it does not tell. A
   * stale gauge makes either of them old: see `staleness`.
   */
  readonly idle: boolean | null;
  /** How old the gauges may be. */
  readonly staleness: Staleness;
}

/** Share of the KV cache in use, 0 to 1, over engines. A ratio is never added. */
export interface KvUsage {
  readonly max: number;
  readonly mean: number;
}

/** Sum of the gauges over engines and summands; null when the page lacks the first summand. */
export function sumOfGauges(
  page: PageIndex,
  sources: readonly SeriesSource[],
  dialect: Dialect,
): number | null {
  let total: number | null = null;
  for (const [index, source] of sources.entries()) {
    const series = gaugeSeries(page, source, dialect.duplicatingLabels);
    if (series.length === 0 && index === 0) return null;
    total = series.reduce((sum, { value }) => sum + value, total ?? 0);
  }
  return total;
}

export function readBusyState(page: PageIndex, dialect: Dialect): BusyState {
  const running = sumOfGauges(page, dialect.running, dialect);
  const waiting = sumOfGauges(page, dialect.waiting, dialect);
  const isBusy = (running ?? 0) > 0 || (waiting ?? 0) > 0;
  const idle = isBusy ? false : running === null || waiting === null ? null : true;
  return { running, waiting, idle, staleness: dialect.staleness };
}

export function readKvUsage(page: PageIndex, dialect: Dialect): KvUsage | null {
  if (dialect.kvUsage === null) return null;
  const told = gaugeSeries(page, dialect.kvUsage, dialect.duplicatingLabels).map(({ value }) => value);
  if (told.length === 0) return null;
  return { max: Math.max(...told), mean: told.reduce((sum, value) => sum + value, 0) / told.length };
}
