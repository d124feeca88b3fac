/**
 * TYPE of a metric family; `untyped` when the page does not say. The last three exist in OpenMetrics only.
 */
export type MetricType =
  | "counter"
  | "gauge"
  | "histogram"
  | "summary"
  | "untyped"
  | "info"
  | "stateset"
  | "gaugehistogram";

/** An example observation that OpenMetrics puts behind a bucket or a counter. */
export interface Exemplar {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  /** Milliseconds since 1970; null when the server wrote none. */
  readonly timestampMs: number | null;
}

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
  /** Left out when there is none. */
  readonly exemplar?: Exemplar;
}

/** A family as its TYPE, HELP and UNIT lines describe it; it may have no samples yet. */
export interface MetricFamily {
  readonly type: MetricType;
  readonly help: string | null;
  /** OpenMetrics only; left out when there is none. */
  readonly unit?: string;
}

/** The text format of a page. `classic` is Prometheus text 0.0.4 and 1.0.0. */
export type ExpositionFormat = "classic" | "openmetrics";

/** A parsed metrics page. */
export interface MetricsPage {
  readonly samples: readonly MetricSample[];
  /** By family name. */
  readonly families: ReadonlyMap<string, MetricFamily>;
  /**
   * How the page shows that it is whole: `eof-mark` is OpenMetrics' last line; `line-end` says only that the last line is
   * whole, so that a page cut off exactly between two lines would look the same.
   */
  readonly ending?: "eof-mark" | "line-end";
}
