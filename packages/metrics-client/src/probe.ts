import type { ServerFacts } from "./dialects/server-facts.ts";
import { MetricsError } from "./errors.ts";
import { fetchText, type FetchedText } from "./scrape/fetch-text.ts";
import type { ScrapeOptions } from "./scrape/scrape.ts";
import { metricsAddress } from "./scrape/url.ts";

/** Paths that are asked, and the fact that each answers: the first one first. None of them costs the server a token. */
const PROBES = [
  { path: "/v1/models", fact: "models" },
  { path: "/props", fact: "props" },
  { path: "/server_info", fact: "serverInfo" },
  { path: "/get_server_info", fact: "serverInfo" },
  { path: "/info", fact: "info" },
  { path: "/version", fact: "version" },
  { path: "/api/version", fact: "apiVersion" },
] as const;

const PROBE_TIMEOUT_MS = 2000;
const PROBE_MAX_BYTES = 4 * 1024 * 1024;

/**
 * Asks a server what it says of itself. Whatever is not answered with JSON is left out; the server that cannot be reached at all
 * leaves nothing.
 *
 * @param baseUrl of the API, with or without `/v1`
 * @throws {MetricsError} `METRICS_URL_INVALID`, `METRICS_ABORTED`
 */
export async function probeServer(
  baseUrl: string | URL,
  options: Pick<ScrapeOptions, "signal" | "headers" | "dispatcher" | "timeoutMs"> = {},
): Promise<ServerFacts> {
  const base = metricsAddress(baseUrl).replace(/\/+$/, "").replace(/\/v1$/, "");
  const { timeoutMs = PROBE_TIMEOUT_MS, headers = {}, signal, dispatcher } = options;
  const ask = async (path: string): Promise<FetchedText | null> => {
    try {
      return await fetchText(base + path, {
        timeoutMs,
        maxBytes: PROBE_MAX_BYTES,
        headers: { accept: "application/json", ...headers },
        ...(signal === undefined ? {} : { signal }),
        ...(dispatcher === undefined ? {} : { dispatcher }),
      });
    } catch (error) {
      if (error instanceof MetricsError && error.code === "METRICS_ABORTED") throw error;
      return null;
    }
  };
  const [first, ...others] = PROBES;
  const models = await ask(first.path);
  // Nothing listens, or it does not answer: the other paths would not either.
  if (models === null) return {};
  const answers = await Promise.all(others.map(({ path }) => ask(path)));
  const facts: Record<string, unknown> = {};
  for (const [index, answer] of [models, ...answers].entries()) {
    const fact = PROBES[index]?.fact;
    if (fact === undefined || fact in facts || answer === null) continue;
    if (answer.status < 200 || answer.status >= 300) continue;
    try {
      facts[fact] = JSON.parse(answer.body) as unknown;
    } catch {
      // A web page at this path says nothing of the engine.
    }
  }
  return facts;
}
