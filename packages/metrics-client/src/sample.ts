/** TYPE of a metric family; `untyped` when the page does not say. */
export type MetricType = "counter" | "gauge" | "histogram" | "summary" | "untyped";

/** One line of a metrics page. */
export interface MetricSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** May be NaN or infinite; servers write NaN where they have no data. */
  readonly value: number;
  /** Type of the family the sample belongs to (`x_bucket` belongs to the histogram `x`). */
  readonly type: MetricType;
  /** Milliseconds since 1970 as the server wrote them; null when it wrote none. */
  readonly timestampMs: number | null;
}

/** A family as its TYPE and HELP lines describe it; it may have no samples yet. */
export interface MetricFamily {
  readonly type: MetricType;
  readonly help: string | null;
}

/** A parsed metrics page. */
export interface MetricsPage {
  readonly samples: readonly MetricSample[];
  /** By family name. */
  readonly families: ReadonlyMap<string, MetricFamily>;
}
