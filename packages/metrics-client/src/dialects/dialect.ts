import type { AcceptanceContext, AcceptanceOutcome } from "../normal/acceptance-reading.ts";
import type { CounterValues } from "../normal/counter-values.ts";
import type { PageIndex } from "../normal/page-index.ts";
import type { ServerFacts } from "./server-facts.ts";
import type {
  CounterId,
  DraftBudget,
  EngineName,
  HistogramId,
  HistogramSource,
  SeriesSource,
  Staleness,
} from "./sources.ts";

/**
 * What one engine's page means: tables of names, and pure functions over the page's figures and what the server says of
 * itself. Everything that an engine does its own way stands in its dialect and nowhere else.
 */
export interface Dialect {
  readonly engine: EngineName;
  /** As the engine's authors write it. */
  readonly title: string;
  /** How the metrics are switched on and where they are, as the end of a sentence; null when the engine has none. */
  readonly enabling: string | null;
  /** Whether a family or sample name is one that only this engine writes. */
  readonly recognises: (name: string) => boolean;
  /** When counters move: with every step, or when a request ends. */
  readonly countsAt: "step" | "request-end";
  readonly staleness: Staleness;
  /** Significant digits that counters are printed with; null when all are. */
  readonly significantDigits: number | null;
  /** Labels of ranks that publish the same figures again: only rank 0 is read. */
  readonly duplicatingLabels: readonly string[];
  /** A list stands for a sum, and counts only where every summand is there. */
  readonly counters: Readonly<Partial<Record<CounterId, SeriesSource | readonly SeriesSource[]>>>;
  /** Summands; the first must be there. */
  readonly running: readonly SeriesSource[];
  readonly waiting: readonly SeriesSource[];
  /** Ratio 0 to 1. */
  readonly kvUsage: SeriesSource | null;
  readonly histograms: Readonly<Partial<Record<HistogramId, HistogramSource>>>;
  readonly draftBudget: (page: PageIndex, facts: ServerFacts) => DraftBudget | null;
  readonly acceptance: (values: CounterValues, context: AcceptanceContext) => AcceptanceOutcome;
}
