import type { Dispatcher } from "undici";
import { MetricsError } from "../errors.ts";
import type { ExpositionLimits } from "../exposition/limits.ts";
import { readAnswer } from "./answer.ts";
import { fetchText, type FetchedText } from "./fetch-text.ts";
import { mergeSnapshots } from "./merge.ts";
import type { MetricsSnapshot } from "./snapshot.ts";
import { metricsAddress } from "./url.ts";

/** Bounds, headers and clock of one scrape. */
export interface ScrapeOptions {
  readonly signal?: AbortSignal;
  /** For the whole scrape, body included, ms. Default: 10,000. */
  readonly timeoutMs?: number;
  /** Bytes of the body after decompression. Default: 16 MiB. */
  readonly maxBytes?: number;
  /** Sent as they are, for example `{ authorization: "Bearer …" }`; not sent on to another host after a redirect. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly limits?: Omit<ExpositionLimits, "maxLength">;
  /** Wall clock for `takenAt`. */
  readonly now?: () => Date;
  /** Monotonic clock for spans, ms. */
  readonly nowMs?: () => number;
  /** An undici dispatcher, for example one with a connection of its own. */
  readonly dispatcher?: Dispatcher;
}

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;

/** The classic text first: servers that can also speak OpenMetrics would otherwise choose it. */
const ACCEPT =
  "text/plain;version=0.0.4;q=1,text/plain;version=1.0.0;q=0.9,text/plain;q=0.8," +
  "application/openmetrics-text;version=1.0.0;q=0.5,*/*;q=0.1";

/**
 * Fetches a metrics page and parses it.
 *
 * @param url the page itself, for example `http://127.0.0.1:8000/metrics`
 * @throws {MetricsError} every code but `EXPOSITION_TOO_LARGE` for the size of the body, which is `METRICS_TOO_LARGE`
 */
export async function scrapeMetrics(
  url: string | URL,
  options: ScrapeOptions = {},
): Promise<MetricsSnapshot> {
  const address = metricsAddress(url);
  const { maxBytes = DEFAULT_MAX_BYTES, now = () => new Date(), nowMs = () => performance.now() } = options;
  const answer = await fetchPage(address, options);
  const monotonicMs = nowMs();
  const takenAt = now().toISOString();
  const { drained, ...page } = readAnswer(
    { ...answer, url: address },
    { ...options.limits, maxLength: maxBytes },
    new URL(answer.url).origin === new URL(address).origin ? null : answer.url,
  );
  return {
    ...page,
    url: address,
    takenAt,
    startToken: answer.startToken,
    monotonicMs,
    ...(drained ? { drained } : {}),
  };
}

/**
 * Fetches the pages of one deployment (the workers behind a front end, one page per rank) and makes one snapshot of them, in
 * which each series carries the label `instance`. They must all be there: counters of some workers are not the deployment's.
 *
 * @throws {MetricsError} of the first page that cannot be read
 */
export async function scrapeAllMetrics(
  urls: readonly (string | URL)[],
  options: ScrapeOptions = {},
): Promise<MetricsSnapshot> {
  if (urls.length === 0) throw new MetricsError("METRICS_URL_INVALID", "no URL of a metrics page is given");
  const snapshots = await Promise.all(urls.map((url) => scrapeMetrics(url, options)));
  return mergeSnapshots(snapshots);
}

/**
 * Fetches what stands at an address as text, status and type included, without reading it as a page.
 *
 * @throws {MetricsError} when there is no whole answer
 */
export function fetchMetricsText(url: string | URL, options: ScrapeOptions = {}): Promise<FetchedText> {
  return fetchPage(metricsAddress(url), options);
}

function fetchPage(address: string, options: ScrapeOptions): Promise<FetchedText> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, maxBytes = DEFAULT_MAX_BYTES, signal, dispatcher } = options;
  return fetchText(address, {
    timeoutMs,
    maxBytes,
    headers: { accept: ACCEPT, ...options.headers },
    ...(signal === undefined ? {} : { signal }),
    ...(dispatcher === undefined ? {} : { dispatcher }),
  });
}
