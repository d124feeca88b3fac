import { Agent, request, type Dispatcher } from "undici";
import { messageOf, RunError, systemCode } from "./errors.ts";
import { parseJson } from "./stream/server-message.ts";

/** An answer of the control plane: anything but a measured request. */
export interface ControlAnswer {
  readonly status: number;
  readonly contentType: string;
  /** Where it sends on to, which is not followed: a measurement is of the server that was named. */
  readonly location: string | null;
  readonly text: string;
  /** Undefined when the body is not JSON. */
  readonly json: unknown;
}

/** Small GET and POST requests beside the measurement, on connections of their own. */
export interface ControlClient {
  readonly root: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Its connections, with what they trust. */
  readonly dispatcher: Dispatcher;
  get(path: string, signal?: AbortSignal): Promise<ControlAnswer>;
  post(path: string, body: unknown, signal?: AbortSignal): Promise<ControlAnswer>;
  close(): Promise<void>;
}

/** What a configuration says about the way to the server. */
export interface ControlWay {
  /** Further headers of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** PEM of the certificate authority; null takes those of the system. */
  readonly ca?: string | null;
  readonly insecureTls?: boolean;
}

/** Most time for one exchange; a request timeout below it holds for these requests too. */
const LONGEST_MS = 30_000;
const CONNECT_MS = 10_000;
const BODY_LIMIT = 16 * 2 ** 20;

/**
 * Every exchange, from connecting to the last byte, takes `requestTimeoutMs` at most, and never more than 30 s.
 *
 * @throws {RunError} from `get` and `post`: `SERVER_UNREACHABLE` with the URL and the cause, `INTERRUPTED` after an abort
 */
export function createControlClient(
  root: string,
  apiKey: string | null,
  requestTimeoutMs: number,
  way: ControlWay = {},
): ControlClient {
  const timeoutMs = Math.min(LONGEST_MS, requestTimeoutMs);
  const dispatcher = new Agent({
    connections: 4,
    connect: {
      timeout: CONNECT_MS,
      ...(way.ca == null ? {} : { ca: way.ca }),
      ...(way.insecureTls === true ? { rejectUnauthorized: false } : {}),
    },
    maxResponseSize: BODY_LIMIT,
  });
  const headers: Record<string, string> = {
    ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
    ...way.headers,
  };

  const ask = async (
    method: "GET" | "POST",
    path: string,
    body: unknown,
    signal?: AbortSignal,
  ): Promise<ControlAnswer> => {
    const url = `${root}${path}`;
    const deadline = startDeadline(timeoutMs, signal);
    try {
      const answer = await request(url, {
        method,
        dispatcher,
        headers: {
          ...headers,
          accept: "application/json",
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: deadline.signal,
      });
      const text = await answer.body.text();
      const contentType = String(answer.headers["content-type"] ?? "");
      const location = answer.statusCode < 400 ? (answer.headers.location ?? null) : null;
      return {
        status: answer.statusCode,
        contentType,
        location: location === null ? null : String(location),
        text,
        json: parseJson(text),
      };
    } catch (error) {
      if (signal?.aborted === true)
        throw new RunError("INTERRUPTED", "interrupted before the first request was sent");
      throw new RunError("SERVER_UNREACHABLE", deadline.passed() ? late(url) : unreachable(url, error), {
        cause: error,
      });
    } finally {
      deadline.clear();
    }
  };

  const late = (url: string): string => {
    const raise = timeoutMs < LONGEST_MS ? ": raise --request-timeout if the server needs longer" : "";
    return `no answer from ${url} within ${inWords(timeoutMs)}${raise}`;
  };

  return {
    root,
    headers,
    dispatcher,
    get: (path, signal) => ask("GET", path, undefined, signal),
    post: (path, body, signal) => ask("POST", path, body, signal),
    close: () => dispatcher.destroy(),
  };
}

interface Deadline {
  /** Aborted when the time is over, or with the outer signal. */
  readonly signal: AbortSignal;
  /** Whether it was the time. */
  passed(): boolean;
  clear(): void;
}

function startDeadline(ms: number, outer: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let passed = false;
  const timer = setTimeout(() => {
    passed = true;
    controller.abort();
  }, ms);
  const onAbort = (): void => controller.abort();
  if (outer?.aborted === true) onAbort();
  outer?.addEventListener("abort", onAbort, { once: true });
  return {
    signal: controller.signal,
    passed: () => passed,
    clear() {
      clearTimeout(timer);
      outer?.removeEventListener("abort", onAbort);
    },
  };
}

/** What a TLS client makes of the first bytes of a plain HTTP answer. */
const NOT_TLS = new Set([
  "ERR_SSL_WRONG_VERSION_NUMBER",
  "ERR_SSL_PACKET_LENGTH_TOO_LONG",
  "ERR_SSL_HTTP_REQUEST",
  "EPROTO",
]);

/** What a certificate is refused for that no authority known here has signed. */
const UNTRUSTED = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

function unreachable(url: string, error: unknown): string {
  const { protocol, host } = new URL(url);
  if (UNTRUSTED.has(systemCode(error) ?? ""))
    return `the certificate of ${host} is not trusted: ${messageOf(error)}; name its authority with --ca-file, or leave it unchecked with --insecure`;
  return protocol === "https:" && NOT_TLS.has(systemCode(error) ?? "")
    ? `cannot reach ${url}: ${host} does not speak TLS; try http://${host}`
    : `cannot reach ${url}: ${messageOf(error)}; is the server running there?`;
}

function inWords(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${ms / 1000} s`;
}
