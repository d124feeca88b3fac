import { connect as connectTcp, isIP, type OnReadOpts, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { Timeline } from "../clock.ts";
import type { ResponseHead } from "./response-head.ts";
import { ResponseParser, type ResponseSink } from "./response-parser.ts";

/** Where connections go, and how they are made. */
export interface ConnectionOptions {
  readonly origin: URL;
  /** PEM of the certificate authority; null takes those of the system. */
  readonly ca: string | null;
  /** The server's certificate is not checked. */
  readonly insecureTls: boolean;
}

/** The request that is on a connection. Every time is the arrival of the bytes, ns since the start of the run. */
export interface ConnectionHandler {
  /** It goes out now, on a connection that stands. */
  onSend(atNs: number): void;
  onHead(head: ResponseHead, atNs: number): void;
  /**
   * Bytes of the answer in memory that is used again. Returns where it stopped reading them; the rest comes with
   * {@link onBody}.
   */
  readInPlace(memory: Buffer, from: number, to: number, atNs: number): number;
  onBody(bytes: Buffer, atNs: number): void;
  /** The answer is complete. */
  onEnd(atNs: number): void;
  /** The connection is lost, and the request with it. */
  onFail(error: Error, atNs: number): void;
}

/** What reads found waiting on their sockets, bytes. */
export interface ReadGauge {
  largest: number;
}

/** The server closed a connection that a request was on. */
export class ConnectionClosedError extends Error {
  readonly code = "CONNECTION_CLOSED";

  constructor(when: string) {
    super(`the server closed the connection ${when}`);
    this.name = "ConnectionClosedError";
  }
}

/**
 * Sockets are read into one memory, each read is taken out before the next one: no buffer is made, and no stream machinery
 * runs, between the kernel and the stamp.
 */
const READ_BYTES = 64 * 1024;
const READ_MEMORY = Buffer.allocUnsafeSlow(READ_BYTES);
/** Idle connections that servers do not speak about are left after this, before most servers close them. */
const IDLE_MS = 4000;
/** A server that says how long it waits may count from a little earlier. */
const IDLE_MARGIN_MS = 1000;
/** Small bodies go out with their head in one write. */
const JOINED_BYTES = 16 * 1024;
const PROBE_MS = 60_000;

/** One keep-alive connection of HTTP/1.1, with one request at a time. */
export class Connection implements ResponseSink {
  readonly #options: ConnectionOptions;
  readonly #timeline: Timeline;
  readonly #gauge: ReadGauge;
  readonly #parser = new ResponseParser(this);
  #socket: Socket | null = null;
  #standing = false;
  #dead = false;
  #waiting: { readonly head: string; readonly body: Uint8Array } | null = null;
  #handler: ConnectionHandler | null = null;
  #openedNs = 0;
  #connectNs: number | null = null;
  #atNs = 0;
  #idleSinceNs = 0;
  #idleMs = IDLE_MS;

  constructor(options: ConnectionOptions, timeline: Timeline, gauge: ReadGauge) {
    this.#options = options;
    this.#timeline = timeline;
    this.#gauge = gauge;
  }

  /** Whether a request may be sent: it stands and has not been idle for too long, or was never opened. */
  get usable(): boolean {
    if (this.#dead) return false;
    return !this.#standing || (this.#timeline.now() - this.#idleSinceNs) / 1e6 < this.#idleMs;
  }

  /** Time that opening the socket took, ns, for the first request on it; null for every further one. */
  takeConnectNs(): number | null {
    const taken = this.#connectNs;
    this.#connectNs = null;
    return taken;
  }

  /** Opens the socket ahead of the first request. A failure is left to that request. */
  open(): Promise<void> {
    return new Promise((resolve) => {
      const socket = this.#connect();
      socket.once("close", resolve);
      socket.once(this.#readyEvent, () => resolve());
    });
  }

  /** @param head request line and headers, with the blank line */
  send(head: string, body: Uint8Array, handler: ConnectionHandler): void {
    this.#handler = handler;
    this.#waiting = { head, body };
    if (this.#standing) this.#write();
    else if (this.#socket === null) this.#connect();
    else if (this.#dead) this.#fail(new ConnectionClosedError("before the request went out"));
  }

  /** Ends it, whatever is on it; its handler is told nothing. */
  destroy(): void {
    this.#dead = true;
    this.#handler = null;
    this.#socket?.destroy();
  }

  onHead(head: ResponseHead): void {
    const { keepAliveS } = head;
    this.#idleMs = keepAliveS === null ? IDLE_MS : Math.max(0, keepAliveS * 1000 - IDLE_MARGIN_MS);
    this.#handler?.onHead(head, this.#atNs);
  }

  readInPlace(memory: Buffer, from: number, to: number): number {
    return this.#handler?.readInPlace(memory, from, to, this.#atNs) ?? from;
  }

  onBody(bytes: Buffer): void {
    this.#handler?.onBody(bytes, this.#atNs);
  }

  onComplete(reusable: boolean): void {
    const handler = this.#handler;
    this.#handler = null;
    this.#idleSinceNs = this.#atNs;
    // An answer that came before the request was out leaves the rest of it on the connection.
    if (!reusable || (this.#socket?.writableLength ?? 0) > 0) this.destroy();
    handler?.onEnd(this.#atNs);
  }

  get #readyEvent(): "secureConnect" | "connect" {
    return this.#options.origin.protocol === "https:" ? "secureConnect" : "connect";
  }

  #connect(): Socket {
    const { origin, ca, insecureTls } = this.#options;
    const isTls = origin.protocol === "https:";
    const host = origin.hostname.replace(/^\[(.*)\]$/, "$1");
    const port = Number(origin.port || (isTls ? 443 : 80));
    const onread: OnReadOpts = {
      buffer: READ_MEMORY,
      callback: (length) => {
        this.#onRead(length);
        return true;
      },
    };
    const common = { host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: PROBE_MS, onread };
    this.#openedNs = this.#timeline.now();
    const socket = isTls
      ? connectTls({
          ...common,
          ...(isIP(host) === 0 ? { servername: host } : {}),
          ...(ca === null ? {} : { ca }),
          rejectUnauthorized: !insecureTls,
          ALPNProtocols: ["http/1.1"],
        })
      : connectTcp(common);
    this.#socket = socket;
    if (isTls) socket.setNoDelay(true);
    socket.once(this.#readyEvent, () => {
      this.#standing = true;
      this.#idleSinceNs = this.#timeline.now();
      this.#connectNs = this.#idleSinceNs - this.#openedNs;
      if (this.#waiting !== null) this.#write();
    });
    socket.on("error", (error) => this.#fail(error));
    socket.on("end", () => this.#onEof());
    socket.on("close", () => this.#fail(this.#closedError()));
    return socket;
  }

  #write(): void {
    const { head, body } = this.#waiting ?? { head: "", body: NOTHING };
    const socket = this.#socket;
    this.#waiting = null;
    if (socket === null) return;
    this.#handler?.onSend(this.#timeline.now());
    if (body.length <= JOINED_BYTES) {
      const message = Buffer.allocUnsafe(head.length + body.length);
      message.write(head, 0, "latin1");
      message.set(body, head.length);
      socket.write(message);
      return;
    }
    socket.cork();
    socket.write(head, "latin1");
    socket.write(body);
    socket.uncork();
  }

  #onRead(length: number): void {
    this.#atNs = this.#timeline.now();
    if (length > this.#gauge.largest) this.#gauge.largest = length;
    // Nobody asked: the server says why it is about to close, or speaks another protocol.
    if (this.#handler === null) return this.destroy();
    try {
      this.#parser.execute(READ_MEMORY, length);
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #onEof(): void {
    this.#atNs = this.#timeline.now();
    if (this.#handler !== null && this.#parser.end()) return;
    this.#fail(this.#closedError());
  }

  #closedError(): ConnectionClosedError {
    return new ConnectionClosedError(this.#parser.idle ? "without an answer" : "in the middle of the answer");
  }

  #fail(error: Error): void {
    const handler = this.#handler;
    this.destroy();
    handler?.onFail(error, this.#timeline.now());
  }
}

const NOTHING = new Uint8Array(0);
