import type { Dialect } from "../dialects/dialect.ts";
import { dialectByNames } from "../dialects/registry.ts";
import type { ServerFacts } from "../dialects/server-facts.ts";
import type { DraftBudget, EngineName } from "../dialects/sources.ts";
import type { MetricsSnapshot } from "../scrape/snapshot.ts";
import type { AcceptanceOutcome } from "./acceptance-reading.ts";
import { CounterValues } from "./counter-values.ts";
import { type Counts, countsOf } from "./counters.ts";
import type { FigureWindow } from "./figure.ts";
import { withBrokenInvariants } from "./invariants.ts";
import { type Distributions, readDistributions } from "./latencies.ts";
import { type BusyState, type KvUsage, readBusyState, readKvUsage } from "./load.ts";
import { PageIndex, type SeriesSelection } from "./page-index.ts";
import { readCounters } from "./read-counters.ts";

/** What a page is read with. */
export interface ReadingOptions extends SeriesSelection {
  /** Default: told by the names on the page. */
  readonly dialect?: Dialect;
  readonly facts?: ServerFacts;
}

/** One page in the normal form: load now, everything else since the server's start. */
export interface NormalReading {
  readonly engine: EngineName | null;
  /** As the engine's authors write it; null when nothing on the page is known. */
  readonly title: string | null;
  readonly takenAt: string;
  /** Models that the page names. */
  readonly models: readonly string[];
  readonly busy: BusyState;
  readonly kvUsage: KvUsage | null;
  readonly counts: Counts;
  readonly distributions: Distributions;
  readonly draftBudget: DraftBudget | null;
  readonly acceptance: AcceptanceOutcome;
  /** What a reader has to know, in words. */
  readonly notes: readonly string[];
}

/** Reads one page in the normal form. */
export function readNormal(snapshot: MetricsSnapshot, options: ReadingOptions = {}): NormalReading {
  const dialect = options.dialect ?? dialectByNames([snapshot], options);
  const page = new PageIndex(snapshot, options);
  if (dialect === null) return unknownReading(snapshot, page);
  const facts = options.facts ?? {};
  const values = readCounters(page, dialect);
  const window: FigureWindow = {
    kind: snapshot.drained === true ? "since-read" : "since-start",
    from: null,
    to: snapshot.takenAt,
  };
  const draftBudget = dialect.draftBudget(page, facts);
  const context = { page, before: null, window, facts, factsBefore: facts, draftBudget, totals: null };
  return {
    engine: dialect.engine,
    title: dialect.title,
    takenAt: snapshot.takenAt,
    models: page.models,
    busy: readBusyState(page, dialect),
    kvUsage: readKvUsage(page, dialect),
    counts: countsOf(values),
    distributions: readDistributions(page, dialect),
    draftBudget,
    acceptance: withBrokenInvariants(dialect.acceptance(values, context), draftBudget),
    notes: notesOf(page, options),
  };
}

const MODELS_NAMED = 8;

/** What holds for every dialect and has to be said. */
export function notesOf(page: PageIndex, selection: SeriesSelection): string[] {
  if (selection.model !== undefined || page.models.length < 2) return [];
  const { length } = page.models;
  const names = page.models.slice(0, MODELS_NAMED).join(", ") + (length > MODELS_NAMED ? ", …" : "");
  return [`figures of ${length} models are added (${names}): select one`];
}

function unknownReading(snapshot: MetricsSnapshot, page: PageIndex): NormalReading {
  return {
    engine: null,
    title: null,
    takenAt: snapshot.takenAt,
    models: page.models,
    busy: {
      running: null,
      waiting: null,
      idle: null,
      staleness: { seconds: null, why: "no load is on this page" },
    },
    kvUsage: null,
    counts: countsOf(new CounterValues(new Map())),
    distributions: {},
    draftBudget: null,
    acceptance: { reading: null, missing: "the page has no names that an engine of language models writes" },
    notes: [],
  };
}
