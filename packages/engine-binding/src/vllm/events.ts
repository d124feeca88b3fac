import type { Ending, NativeEngine, NativeLibrary, Notice, ModelParams } from "@onpar/vllm-addon";

/** What a request is told of itself. */
export interface RequestListener {
  delta(text: string, atNs: bigint): void;
  end(ending: Ending): void;
}

/** An engine of the addon, with its events sorted by request. */
export class EngineChannel {
  readonly native: NativeEngine;
  readonly #listeners = new Map<number, RequestListener>();
  /** Resolves with the notice of how loading went. */
  readonly loaded: Promise<Notice>;
  readonly #closed: Promise<void>;
  #onLoaded: (notice: Notice) => void = () => undefined;
  #onClosed: () => void = () => undefined;
  #lastId = 0;

  /** Starts loading. @throws {TypeError} for a parameter that the library does not have */
  constructor(library: NativeLibrary, params: ModelParams) {
    this.loaded = new Promise((resolve) => (this.#onLoaded = resolve));
    this.#closed = new Promise((resolve) => (this.#onClosed = resolve));
    this.native = library.load(params, (...events) => this.#take(...events));
  }

  /** Resolves when the model is freed. */
  close(): Promise<void> {
    this.native.close();
    return this.#closed;
  }

  /** Registers who is told of a request, and makes it. @throws what `start` throws */
  open(listener: RequestListener, start: (id: number) => void): number {
    // Ids have 32 bits; four thousand million requests later the first ones are long over.
    this.#lastId = (this.#lastId + 1) >>> 0;
    const id = this.#lastId;
    this.#listeners.set(id, listener);
    try {
      start(id);
    } catch (error) {
      this.#listeners.delete(id);
      throw error;
    }
    return id;
  }

  #take(
    text: string,
    requests: Uint32Array,
    lengths: Uint32Array,
    times: BigUint64Array,
    endings: readonly Ending[],
    notices: readonly Notice[],
  ): void {
    let from = 0;
    for (let i = 0; i < requests.length; i++) {
      const to = from + (lengths[i] ?? 0);
      this.#listeners.get(requests[i] ?? 0)?.delta(text.slice(from, to), times[i] ?? 0n);
      from = to;
    }
    for (const ending of endings) {
      const listener = this.#listeners.get(ending.request);
      this.#listeners.delete(ending.request);
      listener?.end(ending);
    }
    for (const notice of notices) {
      if (notice.kind === "closed") this.#onClosed();
      else this.#onLoaded(notice);
    }
  }
}
