import { Client, Pool, type Dispatcher } from "undici";

/** One connection of the pool, and whether the next request is the first on its socket. */
interface Lane {
  fresh: boolean;
}

/** An undici client that says on which of its sockets a request went out. */
class TrackedClient extends Client {
  readonly #lane: Lane = { fresh: true };
  readonly #lanes: WeakMap<object, Lane>;

  constructor(origin: URL, options: object, lanes: WeakMap<object, Lane>) {
    super(origin, options);
    this.#lanes = lanes;
    this.on("connect", () => {
      this.#lane.fresh = true;
    });
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    this.#lanes.set(options, this.#lane);
    return super.dispatch(options, handler);
  }
}

/** Keep-alive connections to one server, as many as requests in flight. */
export interface ConnectionPool {
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void;
  /** Call when the request of `options` starts on its socket. */
  connectionOf(options: Dispatcher.DispatchOptions): "new" | "reused" | null;
  destroy(): Promise<void>;
}

/** Opens no connection by itself: each is made when the first request needs it. */
export function createConnectionPool(origin: string, connections: number): ConnectionPool {
  const lanes = new WeakMap<object, Lane>();
  const pool = new Pool(origin, {
    connections,
    pipelining: 1,
    allowH2: false,
    // The deadline of a request is the runner's: a prefill may be silent for longer than undici would wait.
    headersTimeout: 0,
    bodyTimeout: 0,
    factory: (url, options) => new TrackedClient(url, options, lanes),
  });
  return {
    dispatch: (options, handler) => {
      pool.dispatch(options, handler);
    },
    connectionOf: (options) => {
      const lane = lanes.get(options);
      if (lane === undefined) return null;
      const connection = lane.fresh ? "new" : "reused";
      lane.fresh = false;
      return connection;
    },
    destroy: () => pool.destroy(),
  };
}
