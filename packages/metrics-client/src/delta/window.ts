import type { Dialect } from "../dialects/dialect.ts";
import { dialectByNames } from "../dialects/registry.ts";
import type { ServerFacts } from "../dialects/server-facts.ts";
import type { CounterId, DraftBudget, EngineName } from "../dialects/sources.ts";
import { withBrokenInvariants } from "../normal/invariants.ts";
import type { AcceptanceOutcome } from "../normal/acceptance-reading.ts";
import { type CounterEntry, CounterValues } from "../normal/counter-values.ts";
import { type Counts, countsOf } from "../normal/counters.ts";
import type { FigureWindow } from "../normal/figure.ts";
import { type Distributions, readDistributions } from "../normal/latencies.ts";
import { type BusyState, type KvUsage, readBusyState, readKvUsage } from "../normal/load.ts";
import { notesOf, readNormal, type ReadingOptions } from "../normal/normal-reading.ts";
import { seriesKey } from "../exposition/series-key.ts";
import { PageIndex } from "../normal/page-index.ts";
import { counterSources, printedError, readCounters, seriesOfCounter } from "../normal/read-counters.ts";
import type { MetricsSnapshot } from "../scrape/snapshot.ts";
import { compareSeries, type ResetSign, restartSigns } from "./compare.ts";

/** What a window is read with. */
export interface WindowOptions extends ReadingOptions {
  /** What the server said of itself at the window's beginning; `facts` is its end. Default: `facts`. */
  readonly factsBefore?: ServerFacts;
}

/** What happened on a server between two snapshots, in the normal form. What neither page tells is null, never 0. */
export interface MetricsWindow {
  readonly engine: EngineName | null;
  readonly title: string | null;
  readonly from: string;
  readonly to: string;
  /** Length by the monotonic clock; null when it was not taken. */
  readonly seconds: number | null;
  readonly models: readonly string[];
  readonly counts: Counts;
  readonly distributions: Distributions;
  readonly acceptance: AcceptanceOutcome;
  readonly draftBudget: DraftBudget | null;
  /** At the end of the window. */
  readonly busy: BusyState;
  readonly kvUsage: KvUsage | null;
  /**
   * The server's counters started again in between. All figures then count from that restart on, so they are at least, not
   * exactly, what happened: what was counted before the restart is lost.
   */
  readonly reset: boolean;
  readonly resetSigns: readonly ResetSign[];
  /** Series of counters that were not there before. They count from 0, as servers create series when they first use them. */
  readonly bornSeries: readonly string[];
  readonly notes: readonly string[];
}

/**
 * Measures what happened between two snapshots of one server, by the dialect of its engine.
 *
 * Series are subtracted one by one and then added over engines and ranks; ratios are ratios of those sums. When a counter went
 * down, when one that had counted is gone, or when the server tells another start, it restarted: `reset` is true and every
 * counter counts from 0.
 */
export function measureWindow(
  before: MetricsSnapshot,
  after: MetricsSnapshot,
  options: WindowOptions = {},
): MetricsWindow {
  const dialect = options.dialect ?? dialectByNames([after, before], options);
  const seconds = spanOf(before, after);
  if (dialect === null) return unknownWindow(before, after, options, seconds);
  const [pageBefore, page] = [new PageIndex(before, options), new PageIndex(after, options)];
  const isDrained = after.drained === true;
  const compared = compareCounters(isDrained ? null : pageBefore, page, dialect);
  const resetSigns = isDrained ? [] : [...restartSigns(before, after), ...compared.signs];
  const reset = resetSigns.length > 0;
  const values = increases(compared.series, dialect, reset);
  const facts = options.facts ?? {};
  const draftBudget = dialect.draftBudget(page, facts);
  const window: FigureWindow = {
    kind: isDrained ? "since-read" : "between-snapshots",
    from: before.takenAt,
    to: after.takenAt,
  };
  const told = dialect.acceptance(values, {
    page,
    before: pageBefore,
    window,
    facts,
    factsBefore: options.factsBefore ?? facts,
    draftBudget,
    totals: reset ? null : { before: readCounters(pageBefore, dialect), after: readCounters(page, dialect) },
  });
  const acceptance = withBrokenInvariants(told, draftBudget);
  return {
    engine: dialect.engine,
    title: dialect.title,
    from: before.takenAt,
    to: after.takenAt,
    seconds,
    models: page.models,
    counts: countsOf(values),
    distributions: readDistributions(page, dialect, reset ? null : pageBefore),
    acceptance,
    draftBudget,
    busy: readBusyState(page, dialect),
    kvUsage: readKvUsage(page, dialect),
    reset,
    resetSigns,
    bornSeries: [...compared.series.values()]
      .flat()
      .flatMap(({ isBorn, sample }) => (isBorn ? [seriesKey(sample)] : [])),
    notes: notesOf(page, options),
  };
}

interface ComparedCounters {
  readonly series: ReadonlyMap<CounterId, ReturnType<typeof compareSeries>["series"]>;
  readonly signs: readonly ResetSign[];
}

/** A counter is compared where the later page carries or announces it, and where it has vanished. */
function compareCounters(before: PageIndex | null, after: PageIndex, dialect: Dialect): ComparedCounters {
  const series = new Map<CounterId, ReturnType<typeof compareSeries>["series"]>();
  const signs: ResetSign[] = [];
  for (const [id, sources] of counterSources(dialect)) {
    const earlier = before === null ? null : seriesOfCounter(before, sources, dialect);
    const later = seriesOfCounter(after, sources, dialect);
    if (later === null && earlier === null) continue;
    const one = compareSeries(earlier ?? [], later ?? []);
    signs.push(...one.signs);
    if (later !== null || one.signs.length > 0) series.set(id, one.series);
  }
  return { series, signs: distinct(signs) };
}

/** A series may serve two counters of the normal form. */
function distinct(signs: readonly ResetSign[]): ResetSign[] {
  const seen = new Set<string>();
  return signs.filter(({ kind, series }) => {
    const key = `${kind} ${series}`;
    return !seen.has(key) && seen.add(key);
  });
}

function increases(compared: ComparedCounters["series"], dialect: Dialect, reset: boolean): CounterValues {
  const values = new Map<CounterId, CounterEntry[]>();
  for (const [id, series] of compared) {
    values.set(
      id,
      series.map(({ sample, value, valueBefore }) => ({
        sample,
        value: reset ? value : value - valueBefore,
        plusMinus: printedError(dialect, id, value) + (reset ? 0 : printedError(dialect, id, valueBefore)),
      })),
    );
  }
  return new CounterValues(values);
}

function spanOf(before: MetricsSnapshot, after: MetricsSnapshot): number | null {
  if (before.monotonicMs === undefined || after.monotonicMs === undefined) return null;
  return (after.monotonicMs - before.monotonicMs) / 1000;
}

function unknownWindow(
  before: MetricsSnapshot,
  after: MetricsSnapshot,
  options: WindowOptions,
  seconds: number | null,
): MetricsWindow {
  const { takenAt: _, ...reading } = readNormal(after, options);
  const resetSigns = restartSigns(before, after);
  return {
    ...reading,
    from: before.takenAt,
    to: after.takenAt,
    seconds,
    reset: resetSigns.length > 0,
    resetSigns,
    bornSeries: [],
  };
}
