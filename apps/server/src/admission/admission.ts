import { ApiError } from "../http/api-error.ts";

export interface AdmissionOptions {
  /** Outputs that the engine decodes at the same time. */
  readonly slots: number;
  /** Outputs that may wait; null for any number. */
  readonly maxWaiting: number | null;
}

/** The right of one output to be generated, now or later. */
export interface Place {
  /** Resolves with true when it is this output's turn, with false when the signal aborts first. */
  turn(signal: AbortSignal): Promise<boolean>;
  /** Gives the place back. Idempotent. */
  release(): void;
}

interface Waiting {
  readonly start: () => void;
}

/** Bounds of what a client is told to wait, s. */
const retryBounds = [1, 60] as const;

/**
 * Who is generated for next. Clients take turns, each with its own in order of arrival, so that one who sends a
 * thousand requests does not keep the others waiting for all of them. As many outputs as the engine has slots are
 * handed to it ahead of time: a slot that becomes free takes the next one within the engine's own step.
 */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #queues = new Map<string, Waiting[]>();
  #handedOver = 0;
  #waiting = 0;
  #abandoned = 0;
  #rejected = 0;
  /** Seconds that an output takes, as a moving mean. */
  #meanSeconds = 1;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /** Outputs that wait here; those that wait in the engine are the engine's to tell. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Outputs whose client left before it was their turn. */
  get abandoned(): number {
    return this.#abandoned;
  }

  /** Requests that found no room. */
  get rejected(): number {
    return this.#rejected;
  }

  /**
   * Takes places for the outputs of one request, all or none.
   *
   * @param client who asks; clients take turns
   * @throws {ApiError} 429 with Retry-After, when the queue has no room for them
   */
  reserve(client: string, count: number): readonly Place[] {
    const { slots, maxWaiting } = this.#options;
    const free = Math.max(0, 2 * slots - this.#handedOver - this.#waiting);
    const after = this.#waiting + Math.max(0, count - free);
    if (maxWaiting !== null && count > free && after > maxWaiting) throw this.#full(maxWaiting);
    return Array.from({ length: count }, () => this.#place(client));
  }

  #full(maxWaiting: number): ApiError {
    this.#rejected += 1;
    const [least, most] = retryBounds;
    const seconds = (this.#meanSeconds * (this.#waiting + this.#handedOver)) / this.#options.slots;
    return new ApiError(429, {
      code: "queue_full",
      message: `The server is busy: ${this.#handedOver} requests are in its engine and ${this.#waiting} wait, of at most ${maxWaiting}. Send the request again later.`,
      headers: { "retry-after": String(Math.min(most, Math.max(least, Math.ceil(seconds)))) },
    });
  }

  #place(client: string): Place {
    let state: "waiting" | "running" | "over" = "waiting";
    let startedAt = 0;
    let wake: (mine: boolean) => void = () => {};
    const turn = new Promise<boolean>((resolve) => {
      wake = resolve;
    });
    const waiting: Waiting = {
      start: () => {
        state = "running";
        startedAt = performance.now();
        wake(true);
      },
    };
    this.#enqueue(client, waiting);
    const release = () => {
      if (state === "running") this.#done((performance.now() - startedAt) / 1000);
      else if (state === "waiting") this.#leave(client, waiting);
      state = "over";
      wake(false);
    };
    return {
      async turn(signal) {
        if (signal.aborted) release();
        else if (state === "waiting") signal.addEventListener("abort", release, { once: true });
        const mine = await turn;
        signal.removeEventListener("abort", release);
        return mine;
      },
      release,
    };
  }

  #enqueue(client: string, waiting: Waiting): void {
    const queue = this.#queues.get(client);
    if (queue === undefined) this.#queues.set(client, [waiting]);
    else queue.push(waiting);
    this.#waiting += 1;
    this.#handOver();
  }

  #leave(client: string, waiting: Waiting): void {
    const queue = this.#queues.get(client);
    const at = queue?.indexOf(waiting) ?? -1;
    if (queue === undefined || at < 0) return;
    queue.splice(at, 1);
    if (queue.length === 0) this.#queues.delete(client);
    this.#waiting -= 1;
    this.#abandoned += 1;
  }

  #done(seconds: number): void {
    this.#meanSeconds += (seconds - this.#meanSeconds) / 8;
    this.#handedOver -= 1;
    this.#handOver();
  }

  #handOver(): void {
    while (this.#handedOver < 2 * this.#options.slots) {
      const first = this.#queues.entries().next().value;
      if (first === undefined) return;
      const [client, queue] = first;
      const next = queue.shift();
      // The client goes to the end of the line.
      this.#queues.delete(client);
      if (queue.length > 0) this.#queues.set(client, queue);
      if (next === undefined) continue;
      this.#waiting -= 1;
      this.#handedOver += 1;
      next.start();
    }
  }
}
