import type { Timeline } from "../clock.ts";
import { Connection, type ConnectionOptions, type ReadGauge } from "./connection.ts";

/** Keep-alive connections to one server, as many as there are requests in flight; the one used last goes out first. */
export class ConnectionPool {
  readonly #options: ConnectionOptions;
  readonly #timeline: Timeline;
  readonly #all = new Set<Connection>();
  readonly #free: Connection[] = [];
  readonly #gauge: ReadGauge = { largest: 0 };

  /** Opens no connection by itself: each is made when the first request needs it. */
  constructor(options: ConnectionOptions, timeline: Timeline) {
    this.#options = options;
    this.#timeline = timeline;
  }

  /** A connection that no request is on. Give it back with {@link release} or {@link discard}. */
  acquire(): Connection {
    for (let free = this.#free.pop(); free !== undefined; free = this.#free.pop()) {
      if (free.usable) return free;
      this.discard(free);
    }
    return this.create();
  }

  /** A connection that has never been used. */
  create(): Connection {
    const connection = new Connection(this.#options, this.#timeline, this.#gauge);
    this.#all.add(connection);
    return connection;
  }

  /** The request on it has ended. */
  release(connection: Connection): void {
    if (connection.usable) this.#free.push(connection);
    else this.discard(connection);
  }

  /** Ends a connection that something is still on. */
  discard(connection: Connection): void {
    this.#all.delete(connection);
    connection.destroy();
  }

  /** Most bytes that one read found waiting since the last call: how far behind its sockets this thread was. */
  takeLargestRead(): number {
    const { largest } = this.#gauge;
    this.#gauge.largest = 0;
    return largest;
  }

  /** Opens connections until `count` stand. */
  async open(count: number): Promise<void> {
    const opening: Promise<void>[] = [];
    while (this.#all.size < count) {
      const connection = this.create();
      this.#free.push(connection);
      opening.push(connection.open());
    }
    await Promise.all(opening);
  }

  destroy(): void {
    for (const connection of this.#all) connection.destroy();
    this.#all.clear();
    this.#free.length = 0;
  }
}
