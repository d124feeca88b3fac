import { TextDecoder } from "node:util";
import { fetch, type Dispatcher } from "undici";
import { MetricsError } from "../errors.ts";

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

/**
 * Fetches a text within bounds: gzip is undone, redirects are followed, and a body that is not all there is an error.
 *
 * @throws {MetricsError} `METRICS_UNREACHABLE`, `METRICS_TIMEOUT`, `METRICS_ABORTED`, `METRICS_TOO_LARGE`,
 * `METRICS_NOT_EXPOSITION` for bytes that are not UTF-8
 */
export async function fetchText(address: string, options: FetchOptions): Promise<FetchedText> {
  const { timeoutMs, maxBytes, headers, dispatcher } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = options.signal === undefined ? timeout : AbortSignal.any([timeout, options.signal]);
  try {
    const response = await fetch(address, {
      headers,
      signal,
      ...(dispatcher === undefined ? {} : { dispatcher }),
    });
    const body = response.body === null ? "" : await readText(response.body, maxBytes, address);
    return {
      status: response.status,
      statusText: response.statusText,
      contentType: (response.headers.get("content-type") ?? "").toLowerCase(),
      startToken: response.headers.get("process-start-time-unix"),
      url: response.url === "" ? address : response.url,
      body,
    };
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
}

async function readText(body: AsyncIterable<unknown>, maxBytes: number, address: string): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const parts: string[] = [];
  let size = 0;
  const decode = (chunk?: Uint8Array): string => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch (error) {
      throw new MetricsError("METRICS_NOT_EXPOSITION", `${address} answered bytes that are not UTF-8 text`, {
        cause: error,
      });
    }
  };
  for await (const chunk of body) {
    if (!(chunk instanceof Uint8Array)) continue;
    size += chunk.byteLength;
    // Leaving the loop cancels the body.
    if (size > maxBytes) {
      throw new MetricsError("METRICS_TOO_LARGE", `${address} answered more than ${maxBytes} bytes`);
    }
    parts.push(decode(chunk));
  }
  parts.push(decode());
  return parts.join("");
}

/** The cause of a failed fetch says more than the failure itself. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof AggregateError && cause.errors.length > 0) return reasonOf(cause.errors[0]);
  return cause instanceof Error ? cause.message : String(cause);
}
