import type { ExpositionLimits } from "./limits.ts";
import { ExpositionParser } from "./parser.ts";
import { problemAt } from "./problems.ts";
import type { ExpositionFormat, MetricSample, MetricsPage } from "./sample.ts";
import { seriesKey } from "./series-key.ts";
import { SeriesSet } from "./series-set.ts";

/** Bounds of a page, and which format it is in. */
export interface ExpositionOptions extends ExpositionLimits {
  /**
   * `auto`, the default, takes a page that ends with `# EOF` for OpenMetrics. The formats differ in timestamps (milliseconds
   * or seconds) and in how a page that was cut off shows.
   */
  readonly format?: ExpositionFormat | "auto";
}

/**
 * Parses Prometheus exposition text (0.0.4, 1.0.0) or OpenMetrics 1.0 into its samples.
 *
 * @throws {MetricsError} `EXPOSITION_INVALID` with line and column, `EXPOSITION_TOO_LARGE`
 */
export function parseExposition(text: string, options: ExpositionOptions = {}): MetricSample[] {
  return [...parseMetricsPage(text, options).samples];
}

/**
 * Like {@link parseExposition}, and keeps the families too: a family that is announced but has no samples yet counts
 * from zero, one that is not announced is unknown.
 *
 * A page must be whole. In the classic formats it ends with a line feed, and its last histogram or summary has its counts;
 * in OpenMetrics it ends with `# EOF`. A page that does not was cut off, and is refused.
 *
 * @throws {MetricsError} `EXPOSITION_INVALID` with line and column, `EXPOSITION_TOO_LARGE`
 */
export function parseMetricsPage(text: string, options: ExpositionOptions = {}): MetricsPage {
  const { format = "auto", ...limits } = options;
  const samples: MetricSample[] = [];
  const lines: number[] = [];
  const known = new SeriesSet(samples);
  const parser = new ExpositionParser(
    (sample, line, seriesHash) => {
      const earlier = known.add(sample, seriesHash);
      if (earlier >= 0) {
        const what = `the series ${seriesKey(sample).slice(0, 120)} was already given in line ${lines[earlier]}`;
        throw problemAt(line, 1, what);
      }
      lines.push(line);
      samples.push(sample);
    },
    format === "auto" ? formatByEnding(text) : format,
    limits,
  );
  parser.push(text);
  const ending = parser.end();
  return { samples, families: parser.families, ending };
}

function formatByEnding(text: string): ExpositionFormat {
  return /(?:^|\n)# EOF\r?\n?$/.test(text.slice(-16)) ? "openmetrics" : "classic";
}
