import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

import { UsageError } from "../usage-error.ts";

export interface LiveServerOptions {
  /** 0 takes any that is free. */
  readonly port: number;
  /** The page as it is now. */
  readonly page: () => string;
  /** Its Content-Security-Policy. */
  readonly policy: string;
  /** What is told to a page as soon as it listens, in JSON. */
  readonly event: () => string;
}

/** One page on the loopback interface, for whoever has its address. */
export interface LiveServer {
  /** With the token. */
  readonly url: string;
  /** Pages that listen now. */
  readonly watchers: number;
  /** Tells all pages something in JSON; one that still reads what it was told before is left out. */
  push(event: string): void;
  /** Tells all pages the last thing, and ends. */
  close(last: string): Promise<void>;
}

/** The loopback interface by all its names; the port may be another one behind a tunnel. */
const OWN_HOSTS = new Set(["127.0.0.1", "localhost", "[::1]"]);
const TOKEN_BYTES = 24;
const MOST_WATCHERS = 8;
/** A page that was just fetched has not asked for its events yet. */
const PAGE_GRACE_MS = 2000;
const LAST_WAIT_MS = 1000;

const HEADERS = {
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
} as const;

/** @throws {UsageError} when the port cannot be had */
export async function startLiveServer(options: LiveServerOptions): Promise<LiveServer> {
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const watchers = new Set<ServerResponse>();
  let last: string | null = null;
  let pageAtMs = -Infinity;
  let onWatcher = (): void => {};

  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    // A page of another site may have its own name point here: whatever it asks for, it is told nothing.
    if (!OWN_HOSTS.has(hostOf(request))) return refuse(response, 403, "this page has another host");
    const [given = "", file, ...more] = (request.url ?? "/").split("?")[0]?.slice(1).split("/") ?? [];
    if (!isSame(given, token)) return refuse(response, 403, "the address lacks the token of this run");
    if (request.method !== "GET") return refuse(response, 405, "this page is only read");
    if (more.length > 0) return refuse(response, 404, "nothing is here");
    if (file === "events") return watch(response);
    if (file === undefined) {
      response.writeHead(308, { location: `/${token}/` }).end();
    } else if (file === "") {
      pageAtMs = performance.now();
      response.setHeader("content-security-policy", options.policy);
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(options.page());
    } else {
      refuse(response, 404, "nothing is here");
    }
  };
  const watch = (response: ServerResponse): void => {
    if (watchers.size >= MOST_WATCHERS) return refuse(response, 503, "too many pages watch this run");
    response.writeHead(200, { "content-type": "text/event-stream" });
    watchers.add(response);
    response.on("close", () => watchers.delete(response));
    if (last === null) response.write(eventOf(options.event()));
    else response.end(eventOf(last));
    onWatcher();
  };

  const server = createServer({ headersTimeout: 5000, requestTimeout: 5000 }, answer);
  server.maxConnections = 4 * MOST_WATCHERS;
  try {
    server.listen(options.port, "127.0.0.1");
    await once(server, "listening");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new UsageError(`--live ${options.port}: that port cannot be had (${code}); name another one`, {
      cause: error,
    });
  }
  // The run decides how long the process lives.
  server.unref();
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : options.port;

  return {
    url: `http://127.0.0.1:${port}/${token}/`,
    get watchers() {
      return watchers.size;
    },
    push(event) {
      const text = eventOf(event);
      for (const response of watchers) if (response.writableLength === 0) response.write(text);
    },
    async close(event) {
      last = event;
      if (watchers.size === 0 && performance.now() - pageAtMs < PAGE_GRACE_MS) {
        await within(LAST_WAIT_MS, new Promise<void>((resolve) => (onWatcher = resolve)));
      }
      const text = eventOf(event);
      const told = [...watchers].map((response) => once(response, "close").catch(() => {}));
      for (const response of watchers) if (!response.writableEnded) response.end(text);
      await within(LAST_WAIT_MS, Promise.all(told));
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Without the port; empty for what is no host. */
function hostOf({ headers: { host = "" } }: IncomingMessage): string {
  return host.replace(/:\d+$/, "").toLowerCase();
}

/** In a time that tells nothing of the token. */
function isSame(given: string, token: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(token)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function refuse(response: ServerResponse, status: number, reason: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(`${reason}\n`);
}

function eventOf(json: string): string {
  return `retry: 1000\ndata: ${json}\n\n`;
}

async function within(limitMs: number, task: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => (timer = setTimeout(resolve, limitMs)));
  await Promise.race([task, limit]);
  clearTimeout(timer);
}
