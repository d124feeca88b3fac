import { Agent, request } from "undici";
import { messageOf, RunError } from "./errors.ts";
import { parseJson } from "./server-message.ts";

/** An answer of the control plane: anything but a measured request. */
export interface ControlAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
  /** Undefined when the body is not JSON. */
  readonly json: unknown;
}

/** Small GET and POST requests beside the measurement, on connections of their own. */
export interface ControlClient {
  readonly root: string;
  readonly headers: Readonly<Record<string, string>>;
  get(path: string, signal?: AbortSignal): Promise<ControlAnswer>;
  post(path: string, body: unknown, signal?: AbortSignal): Promise<ControlAnswer>;
  close(): Promise<void>;
}

const TIMEOUT_MS = 30_000;
const BODY_LIMIT = 16 * 2 ** 20;

/**
 * @throws {RunError} from `get` and `post`: `SERVER_UNREACHABLE` with the URL and the cause, `INTERRUPTED` after an abort
 */
export function createControlClient(root: string, apiKey: string | null): ControlClient {
  const dispatcher = new Agent({ connections: 4, connect: { timeout: 10_000 }, maxResponseSize: BODY_LIMIT });
  const headers: Record<string, string> = apiKey === null ? {} : { authorization: `Bearer ${apiKey}` };

  const ask = async (
    method: "GET" | "POST",
    path: string,
    body: unknown,
    signal?: AbortSignal,
  ): Promise<ControlAnswer> => {
    const url = `${root}${path}`;
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
        headersTimeout: TIMEOUT_MS,
        bodyTimeout: TIMEOUT_MS,
        ...(signal === undefined ? {} : { signal }),
      });
      const text = await answer.body.text();
      const contentType = String(answer.headers["content-type"] ?? "");
      return { status: answer.statusCode, contentType, text, json: parseJson(text) };
    } catch (error) {
      if (signal?.aborted === true)
        throw new RunError("INTERRUPTED", "interrupted before the first request was sent");
      throw new RunError(
        "SERVER_UNREACHABLE",
        `cannot reach ${url}: ${messageOf(error)}; is the server running there?`,
        {
          cause: error,
        },
      );
    }
  };

  return {
    root,
    headers,
    get: (path, signal) => ask("GET", path, undefined, signal),
    post: (path, body, signal) => ask("POST", path, body, signal),
    close: () => dispatcher.destroy(),
  };
}
