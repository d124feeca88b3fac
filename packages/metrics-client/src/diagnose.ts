import { detectEngine, type Detection } from "./detect.ts";
import type { ServerFacts } from "./dialects/server-facts.ts";
import { MetricsError } from "./errors.ts";
import { probeServer } from "./probe.ts";
import { scrapeMetrics, type ScrapeOptions } from "./scrape/scrape.ts";

/** Paths at which engines have their page when it is not at `/metrics`. */
const OTHER_PATHS = ["/metrics", "/prometheus/metrics", "/metrics/"];

/** Codes of failures that the engine's own ways may explain. */
const EXPLAINED = new Set(["METRICS_NOT_ENABLED", "METRICS_EMPTY", "METRICS_NOT_EXPOSITION"]);

/** A failed scrape with what was found out about it. */
export interface Diagnosis {
  readonly error: MetricsError;
  readonly detection: Detection;
  /** A page that can be read, at another path of the same server; null when there is none. */
  readonly foundAt: string | null;
}

/**
 * Finds out why a metrics page cannot be read: asks the server which engine it is, looks where that engine may have its page, and
 * adds to the message how the engine's metrics are switched on.
 */
export async function diagnoseMetrics(
  url: string | URL,
  failure: MetricsError,
  options: ScrapeOptions = {},
): Promise<Diagnosis> {
  if (!EXPLAINED.has(failure.code)) {
    return { error: failure, detection: detectEngine({}), foundAt: null };
  }
  const facts = await probeServer(new URL("/", String(url)), options).catch((): ServerFacts => ({}));
  const detection = detectEngine(facts);
  const foundAt = await otherPage(url, options);
  const hints: string[] = [];
  if (foundAt !== null) hints.push(`its metrics are at ${foundAt}`);
  else if (detection.dialect !== null) {
    const { title, enabling } = detection.dialect;
    hints.push(enabling === null ? `this is ${title}, which has no metrics page` : enabling);
  }
  const message = hints.length === 0 ? failure.message : `${failure.message}; ${hints.join("; ")}`;
  const error = new MetricsError(failure.code, message, {
    ...(failure.status === null ? {} : { status: failure.status }),
    cause: failure,
  });
  return { error, detection, foundAt };
}

async function otherPage(url: string | URL, options: ScrapeOptions): Promise<string | null> {
  const asked = new URL(String(url));
  for (const path of OTHER_PATHS) {
    const candidate = new URL(path, asked);
    if (candidate.pathname === asked.pathname) continue;
    const page = await scrapeMetrics(candidate, options).catch(() => null);
    if (page !== null) return candidate.href;
  }
  return null;
}
