import { fetch } from "undici";
import { MetricsError } from "./errors.ts";
import { type ExpositionLimits, parseMetricsPage } from "./exposition.ts";
import type { MetricsSnapshot } from "./snapshot.ts";

/** Bounds, headers and clock of one scrape. */
export interface ScrapeOptions {
  readonly signal?: AbortSignal;
  /** For the whole scrape, body included, ms. Default: 10,000. */
  readonly timeoutMs?: number;
  /** Bytes of the body after decompression. Default: 16 MiB. */
  readonly maxBytes?: number;
  /** Sent as they are, for example `{ authorization: "Bearer …" }`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly limits?: Omit<ExpositionLimits, "maxLength">;
  /** Wall clock for `takenAt`. */
  readonly now?: () => Date;
}

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;

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
  const address = checkUrl(url);
  const { timeoutMs = DEFAULT_TIMEOUT_MS, maxBytes = DEFAULT_MAX_BYTES, now = () => new Date() } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = options.signal === undefined ? timeout : AbortSignal.any([timeout, options.signal]);
  let response: Response;
  let body: string;
  try {
    response = await fetch(address, {
      // Text in the classic format: OpenMetrics servers would otherwise choose theirs.
      headers: { accept: "text/plain;version=0.0.4;q=1,text/plain;q=0.9,*/*;q=0.1", ...options.headers },
      signal,
    });
    body = await readBody(response, maxBytes, address);
  } catch (error) {
    if (error instanceof MetricsError) throw error;
    if (options.signal?.aborted === true) {
      throw new MetricsError("METRICS_ABORTED", `reading ${address} was aborted`, { cause: error });
    }
    if (timeout.aborted) {
      throw new MetricsError("METRICS_TIMEOUT", `${address} did not answer in full within ${timeoutMs} ms`, {
        cause: error,
      });
    }
    throw new MetricsError("METRICS_UNREACHABLE", `cannot read ${address}: ${reasonOf(error)}`, {
      cause: error,
    });
  }
  checkStatus(response, address);
  const text = expositionText(response, body, address);
  const takenAt = now().toISOString();
  try {
    const page = parseMetricsPage(text, { ...options.limits, maxLength: maxBytes });
    return { ...page, url: address, takenAt, startToken: response.headers.get("process-start-time-unix") };
  } catch (error) {
    if (!(error instanceof MetricsError)) throw error;
    const place =
      error.line === null || error.column === null ? {} : { line: error.line, column: error.column };
    throw new MetricsError(error.code, `${address}: ${error.message}`, { ...place, cause: error });
  }
}

type Response = Awaited<ReturnType<typeof fetch>>;

function checkUrl(url: string | URL): string {
  if (!URL.canParse(String(url))) {
    throw new MetricsError(
      "METRICS_URL_INVALID",
      `${JSON.stringify(String(url))} is not a URL of a metrics page`,
    );
  }
  const parsed = new URL(String(url));
  if (parsed.protocol !== "http:" && parsed.protocol !== "https:") {
    throw new MetricsError(
      "METRICS_URL_INVALID",
      `${parsed.protocol} is no protocol for metrics; use http or https`,
    );
  }
  if (parsed.username !== "" || parsed.password !== "") {
    // It would end up in messages and results.
    throw new MetricsError(
      "METRICS_URL_INVALID",
      `the metrics URL for ${parsed.host} holds a user name or password; pass an authorization header instead`,
    );
  }
  return parsed.href;
}

async function readBody(response: Response, maxBytes: number, address: string): Promise<string> {
  if (response.body === null) return "";
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    if (!(chunk instanceof Uint8Array)) continue;
    size += chunk.byteLength;
    // Leaving the loop cancels the body.
    if (size > maxBytes) {
      throw new MetricsError("METRICS_TOO_LARGE", `${address} answered more than ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function checkStatus(response: Response, address: string): void {
  const { status } = response;
  if (response.ok) return;
  if (status === 401 || status === 403) {
    throw new MetricsError(
      "METRICS_UNAUTHORISED",
      `${address} answered ${status}: send the key it wants in a header, such as "authorization: Bearer …"`,
      { status },
    );
  }
  if (status === 404) {
    throw new MetricsError(
      "METRICS_NOT_ENABLED",
      `${address} answered 404: metrics are not enabled here, or they have another path or port`,
      { status },
    );
  }
  if (status === 501) {
    throw new MetricsError(
      "METRICS_NOT_ENABLED",
      `${address} answered 501: metrics are not enabled here (llama-server needs --metrics)`,
      { status },
    );
  }
  throw new MetricsError(
    "METRICS_HTTP_STATUS",
    `${address} answered ${status} ${response.statusText}`.trimEnd(),
    {
      status,
    },
  );
}

function expositionText(response: Response, body: string, address: string): string {
  const start = body.slice(0, 200).trimStart();
  const contentType = response.headers.get("content-type") ?? "";
  if (/^<(?:!doctype|html|\?xml|head|body)/i.test(start) || /\bhtml\b/i.test(contentType)) {
    throw new MetricsError(
      "METRICS_NOT_EXPOSITION",
      `${address} answered a web page, not Prometheus text: behind a login the metrics need a header`,
    );
  }
  if (start === "") {
    throw new MetricsError("METRICS_EMPTY", `${address} answered ${response.status} with an empty page`);
  }
  if (start.startsWith('"')) return unescapeJsonText(body, address);
  if (start.startsWith("[") || start.startsWith("{")) {
    throw new MetricsError("METRICS_NOT_EXPOSITION", `${address} answered JSON, not Prometheus text`);
  }
  return body;
}

/** Some builds of llama.cpp's server send the whole page as one JSON string. */
function unescapeJsonText(body: string, address: string): string {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === "string") return value;
  } catch {
    // Reported below, like any other JSON that is no page.
  }
  throw new MetricsError("METRICS_NOT_EXPOSITION", `${address} answered JSON, not Prometheus text`);
}

/** The cause of a failed fetch says more than the failure itself. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof AggregateError && cause.errors.length > 0) return reasonOf(cause.errors[0]);
  return cause instanceof Error ? cause.message : String(cause);
}
