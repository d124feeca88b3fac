import { Worker } from "node:worker_threads";
import type { Delivery, FromEngineThread, ThreadOptions, ToEngineThread } from "./messages.ts";
import { forgetAtExit, QuietFlag, stopBeforeExit, type Stoppable } from "./quiet-exit.ts";
import { fromThread } from "./thrown.ts";

/** Built beside this module. */
const ENTRY = new URL("./llama-thread.js", import.meta.url);

export interface ThreadListener {
  onDeliveries(deliveries: readonly Delivery[]): void;
  /** It is gone without having been asked to end: why, in words. */
  onGone(reason: string): void;
}

type Loaded = FromEngineThread & { type: "loaded" };

/** The engine's thread as the thread that uses it holds it. */
export class EngineThread implements Stoppable {
  readonly quiet = new QuietFlag();
  readonly #worker: Worker;
  readonly #exited: Promise<void>;
  #listener: ThreadListener | null = null;
  #ending = false;
  #reason = "it gave no reason";

  constructor(options: ThreadOptions) {
    this.#worker = new Worker(ENTRY, {
      name: "onpar llama.cpp",
      workerData: { options, quiet: this.quiet.buffer },
    });
    stopBeforeExit(this);
    this.#worker.on("error", (error) => {
      this.#reason = error instanceof Error ? error.message : String(error);
    });
    this.#exited = new Promise((resolve) => this.#worker.once("exit", () => resolve()));
    this.#worker.on("message", (message: FromEngineThread) => {
      if (message.type === "deliveries") this.#listener?.onDeliveries(message.deliveries);
    });
    this.#worker.once("exit", () => {
      forgetAtExit(this);
      if (!this.#ending) this.#listener?.onGone(this.#reason);
    });
  }

  listen(listener: ThreadListener): void {
    this.#listener = listener;
  }

  post(message: ToEngineThread): void {
    this.#worker.postMessage(message);
  }

  /** Whether the thread keeps the process alive. */
  hold(alive: boolean): void {
    if (alive) this.#worker.ref();
    else this.#worker.unref();
  }

  /**
   * Waits until the model is loaded.
   *
   * @throws {EngineError} as `loadLlamaEngine`; the signal's reason when it aborts
   */
  async loaded(
    onProgress: ((fraction: number) => void) | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Loaded> {
    const cancel = (): void => this.post({ type: "cancel-load" });
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      return await new Promise<Loaded>((resolve, reject) => {
        this.#worker.on("message", (message: FromEngineThread) => {
          if (message.type === "progress") {
            try {
              onProgress?.(message.fraction);
            } catch (error) {
              // thrown out of here it would end the process
              reject(error);
            }
          }
          if (message.type === "loaded") resolve(message);
          else if (message.type === "load-failed") reject(fromThread(message.error));
        });
        void this.#exited.then(() =>
          reject(fromThread({ code: null, message: `the engine's thread ended: ${this.#reason}` })),
        );
      });
    } catch (error) {
      await this.end();
      signal?.throwIfAborted();
      throw error;
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  }

  /** Lets the engine end what it does, free the model, and the thread go. */
  async end(): Promise<void> {
    this.stop();
    await this.#exited;
  }

  /** As {@link end}, and does not wait. */
  stop(): void {
    this.#ending = true;
    this.post({ type: "dispose" });
  }
}
