import {
  detectEngine,
  diagnoseMetrics,
  dialectOf,
  DIALECTS,
  fetchMetricsText,
  MetricsError,
  probeServer,
  scrapeAllMetrics,
  scrapeMetrics,
  type Detection,
  type EngineName,
  type MetricsSnapshot,
  type ReadingOptions,
  type ScrapeOptions,
  type ServerFacts,
} from "@onpar/metrics-client";

/** A server whose metrics are read: one page, or one of each of its workers. */
export interface MetricsSource {
  readonly urls: readonly string[];
  /** @throws {MetricsError} with what is wrong and how this engine's metrics are switched on */
  read(): Promise<MetricsSnapshot>;
  /** The pages as the server sends them. */
  raw(): Promise<string>;
  /** Which engine it is, and how its pages are read. */
  identify(
    page: MetricsSnapshot,
  ): Promise<{ readonly detection: Detection; readonly options: ReadingOptions }>;
}

export interface MetricsSourceOptions {
  /** Of the server, or of its metrics page. */
  readonly url: string;
  /** Pages of a deployment, where they are elsewhere; empty for the one at {@link url}. */
  readonly pages: readonly string[];
  /** Read as the page of this engine; null finds out. */
  readonly engine: EngineName | null;
  readonly model: string | null;
  readonly scrape: ScrapeOptions;
}

/** The names that a user may force. */
export const ENGINE_NAMES: readonly EngineName[] = DIALECTS.map(({ engine }) => engine);

export function openMetricsSource(options: MetricsSourceOptions): MetricsSource {
  const { url, pages, engine, model, scrape } = options;
  const urls = pages.length > 0 ? pages : [pageOf(url)];
  const [first = pageOf(url)] = urls;
  return {
    urls,
    async read() {
      try {
        return urls.length === 1 ? await scrapeMetrics(first, scrape) : await scrapeAllMetrics(urls, scrape);
      } catch (error) {
        if (!(error instanceof MetricsError)) throw error;
        throw (await diagnoseMetrics(first, error, scrape)).error;
      }
    },
    async raw() {
      const texts = [];
      for (const page of urls) texts.push((await fetchMetricsText(page, scrape)).body);
      return texts.join("");
    },
    async identify(page) {
      const facts = await probeServer(rootOf(url), scrape).catch((): ServerFacts => ({}));
      const detection =
        engine === null ? detectEngine(facts, [page]) : asked(engine, detectEngine(facts, [page]));
      const { dialect } = detection;
      return {
        detection,
        options: { facts, ...(dialect === null ? {} : { dialect }), ...(model === null ? {} : { model }) },
      };
    },
  };
}

function asked(engine: EngineName, { version }: Detection): Detection {
  return {
    dialect: dialectOf(engine),
    confidence: "certain",
    evidence: ["as it was asked to be read"],
    version,
  };
}

/** A server's own address means its `/metrics`. */
function pageOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const address = new URL(url);
  const path = address.pathname.replace(/\/+$/, "");
  if (path === "" || path === "/v1") address.pathname = "/metrics";
  return address.href;
}

/** Where the API of a page's server is. */
function rootOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const address = new URL(url);
  address.pathname = address.pathname.replace(/\/(?:metrics|prometheus\/metrics|v1)\/?$/, "") || "/";
  return address.href;
}
