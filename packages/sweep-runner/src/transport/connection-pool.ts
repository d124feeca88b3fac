import type { Socket } from "node:net";
import { buildConnector, Client, type Dispatcher } from "undici";
import type { Timeline } from "../clock.ts";

/** How connections are made. */
export interface ConnectionOptions {
  /** PEM of the certificate authority; null takes those of the system. */
  readonly ca?: string | null | undefined;
  /** The server's certificate is not checked. */
  readonly insecureTls?: boolean | undefined;
}

/** A socket that stands before anybody needs it. */
interface Opened {
  readonly socket: Socket;
  readonly connectNs: number;
}

/**
 * One keep-alive connection: an undici client of its own, so that it is known on which socket a request went out, whether
 * that one was new, and how long opening it took.
 */
export class Connection {
  readonly #client: Client;
  readonly #connector: buildConnector.connector;
  readonly #timeline: Timeline;
  #opened: Opened | null = null;
  /** Set when a socket was opened, until the first request has gone out on it. */
  #connectNs: number | null = null;

  constructor(origin: string, connector: buildConnector.connector, timeline: Timeline) {
    this.#connector = connector;
    this.#timeline = timeline;
    this.#client = new Client(origin, {
      pipelining: 1,
      allowH2: false,
      // The deadline of a request is the runner's: a prefill may be silent for longer than undici would wait.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (options, callback) => this.#connect(options, callback),
    });
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#client.dispatch(options, handler);
  }

  /** Time that opening the socket took, ns, for the first request on it; null for every further one. */
  takeConnectNs(): number | null {
    const taken = this.#connectNs;
    this.#connectNs = null;
    return taken;
  }

  /** Opens the socket ahead of the first request. A failure is left to that request. */
  open(options: buildConnector.Options): Promise<void> {
    return new Promise((resolve) => {
      const startNs = this.#timeline.now();
      this.#connector(options, (...[, socket]) => {
        if (socket !== null) this.#opened = { socket, connectNs: this.#timeline.now() - startNs };
        resolve();
      });
    });
  }

  async destroy(): Promise<void> {
    this.#opened?.socket.destroy();
    await this.#client.destroy();
  }

  #connect(options: buildConnector.Options, callback: buildConnector.Callback): void {
    const opened = this.#opened;
    this.#opened = null;
    if (opened !== null && !opened.socket.destroyed) {
      this.#connectNs = opened.connectNs;
      return callback(null, opened.socket);
    }
    const startNs = this.#timeline.now();
    this.#connector(options, (...result) => {
      this.#connectNs = this.#timeline.now() - startNs;
      callback(...result);
    });
  }
}

/** Keep-alive connections to one server, as many as there are requests in flight; the one used last goes out first. */
export class ConnectionPool {
  readonly #origin: URL;
  readonly #connector: buildConnector.connector;
  readonly #timeline: Timeline;
  readonly #all = new Set<Connection>();
  readonly #free: Connection[] = [];

  /** Opens no connection by itself: each is made when the first request needs it. */
  constructor(origin: string, timeline: Timeline, options: ConnectionOptions = {}) {
    this.#origin = new URL(origin);
    this.#timeline = timeline;
    this.#connector = buildConnector({
      ...(options.ca == null ? {} : { ca: options.ca }),
      ...(options.insecureTls === true ? { rejectUnauthorized: false } : {}),
    });
  }

  /** A connection that no request is on. Give it back with {@link release}. */
  acquire(): Connection {
    return this.#free.pop() ?? this.#add();
  }

  release(connection: Connection): void {
    this.#free.push(connection);
  }

  /** Gives up a connection that something still waits on. */
  discard(connection: Connection): void {
    this.#all.delete(connection);
    void connection.destroy();
  }

  /** Opens connections until `count` stand. */
  async open(count: number): Promise<void> {
    while (this.#all.size < count) this.#free.push(this.#add());
    const { protocol, hostname, host, port } = this.#origin;
    const bare = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
    await Promise.all(
      this.#free.map((connection) => connection.open({ protocol, hostname: bare, host, port })),
    );
  }

  async destroy(): Promise<void> {
    await Promise.all([...this.#all].map((connection) => connection.destroy()));
  }

  #add(): Connection {
    const connection = new Connection(this.#origin.origin, this.#connector, this.#timeline);
    this.#all.add(connection);
    return connection;
  }
}
