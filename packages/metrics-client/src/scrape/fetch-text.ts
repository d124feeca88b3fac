import { STATUS_CODES } from "node:http";
import { request, type Dispatcher } from "undici";
import { MetricsError } from "../errors.ts";
import { connectionProblem } from "./connection-problem.ts";
import { readBody } from "./read-body.ts";
import { metricsAddress } from "./url.ts";

/** Bounds, headers and connection of one request. */
export interface FetchOptions {
  readonly signal?: AbortSignal;
  /** For the whole answer, body included, ms. */
  readonly timeoutMs: number;
  /** Bytes of the body after decompression. */
  readonly maxBytes: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly dispatcher?: Dispatcher;
}

/** An answer that came whole, whatever its status. */
export interface FetchedText {
  readonly status: number;
  readonly statusText: string;
  /** Lower case; empty when the server sends none. */
  readonly contentType: string;
  readonly startToken: string | null;
  /** After redirects. */
  readonly url: string;
  readonly body: string;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const MOST_REDIRECTS = 5;

/**
 * Fetches a text within bounds: gzip is undone, redirects are followed, and a body that is not all there is an error.
 *
 * @throws {MetricsError} `METRICS_UNREACHABLE`, `METRICS_TIMEOUT`, `METRICS_ABORTED`, `METRICS_TOO_LARGE`,
 * `METRICS_NOT_EXPOSITION` for bytes that are not UTF-8
 */
export async function fetchText(address: string, options: FetchOptions): Promise<FetchedText> {
  const timeout = AbortSignal.timeout(options.timeoutMs);
  const signal = options.signal === undefined ? timeout : AbortSignal.any([timeout, options.signal]);
  try {
    return await follow(address, { ...options, signal });
  } catch (error) {
    if (options.signal?.aborted === true) {
      throw new MetricsError("METRICS_ABORTED", `reading ${address} was aborted`, { cause: error });
    }
    if (timeout.aborted) {
      const message = `${address} did not answer in full within ${options.timeoutMs} ms`;
      throw new MetricsError("METRICS_TIMEOUT", message, { cause: error });
    }
    if (error instanceof MetricsError) throw error;
    const message = `cannot read ${address}: ${connectionProblem(error, address)}`;
    throw new MetricsError("METRICS_UNREACHABLE", message, { cause: error });
  }
}

async function follow(
  address: string,
  options: FetchOptions & { signal: AbortSignal },
): Promise<FetchedText> {
  const { maxBytes, signal, dispatcher } = options;
  let url = address;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const answer = await request(url, {
      headers: { "accept-encoding": "gzip", ...headersFor(url, address, options.headers) },
      signal,
      ...(dispatcher === undefined ? {} : { dispatcher }),
    });
    const { statusCode: status, body } = answer;
    const location = textOf(answer.headers["location"]);
    if (!REDIRECTS.has(status) || location === "") {
      return {
        status,
        statusText: STATUS_CODES[status] ?? "",
        contentType: textOf(answer.headers["content-type"]).toLowerCase(),
        startToken: textOf(answer.headers["process-start-time-unix"]) || null,
        url,
        body: await readBody(body, textOf(answer.headers["content-encoding"]), maxBytes, address),
      };
    }
    // Taken in, so that the connection can be used again; of no use otherwise.
    await body.dump({ limit: 65_536, signal });
    url = metricsAddress(URL.canParse(location, url) ? new URL(location, url) : location);
  }
  throw new Error(`it redirects more than ${MOST_REDIRECTS} times`);
}

/** What the caller sends may be a key: it is not for another host, under whatever name it goes. */
function headersFor(url: string, asked: string, headers: FetchOptions["headers"]): Record<string, string> {
  if (new URL(url).origin === new URL(asked).origin) return { ...headers };
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() === "accept"));
}

function textOf(header: string | string[] | undefined): string {
  return Array.isArray(header) ? (header[0] ?? "") : (header ?? "");
}
