import { parentPort, workerData } from "node:worker_threads";
import type { LlamaEngine } from "../llama-engine.ts";
import { loadLlamaInThread } from "../load-in-thread.ts";
import { CounterBoard } from "./counter-board.ts";
import type { Delivery, FromEngineThread, ThreadStart, ToEngineThread } from "./messages.ts";
import { QuietFlag } from "./quiet-exit.ts";
import { thrown } from "./thrown.ts";

/**
 * The engine's own thread. The loop that evaluates, the choice of tokens and their time stamps live here, so that work on
 * the thread that uses the engine delays the delivery of tokens and never their stamps.
 */
const port = parentPort;
const start: ThreadStart = workerData;
if (port !== null) serve(port, start);

function serve(thread: NonNullable<typeof parentPort>, { options, quiet }: ThreadStart): void {
  const send = (message: FromEngineThread): void => thread.postMessage(message);
  const loading = new AbortController();
  const aborts = new Map<number, AbortController>();
  const outbox: Delivery[] = [];
  let board: CounterBoard | null = null;

  const deliver = (engine: LlamaEngine, delivery: Delivery): void => {
    // what becomes ready in one step leaves in one message
    if (outbox.push(delivery) === 1) queueMicrotask(() => flush(engine));
  };
  const flush = (engine: LlamaEngine): void => {
    board?.write(engine.counters());
    send({ type: "deliveries", deliveries: outbox.splice(0) });
  };

  const generate = async (
    engine: LlamaEngine,
    { id, request, aborted }: ToEngineThread & { type: "generate" },
  ): Promise<void> => {
    const abort = new AbortController();
    aborts.set(id, abort);
    if (aborted) abort.abort();
    try {
      for await (const batch of engine.generate(request, abort.signal)) deliver(engine, { id, batch });
    } catch (error) {
      deliver(engine, { id, error: thrown(error) });
    } finally {
      aborts.delete(id);
    }
  };

  const end = async (engine: LlamaEngine): Promise<void> => {
    await engine.dispose();
    board?.write(engine.counters());
    send({ type: "disposed" });
    close();
  };
  const close = (): void => {
    new QuietFlag(quiet).raise();
    thread.close();
  };

  const handle = (engine: LlamaEngine, message: ToEngineThread): void => {
    switch (message.type) {
      case "generate":
        void generate(engine, message);
        // the request is counted as waiting from here on
        board?.write(engine.counters());
        break;
      case "abort":
        aborts.get(message.id)?.abort();
        break;
      case "reset-prefix-cache": {
        const { id } = message;
        engine.resetPrefixCache().then(
          () => deliver(engine, { id, done: true }),
          (error: unknown) => deliver(engine, { id, error: thrown(error) }),
        );
        break;
      }
      case "dispose":
        void end(engine);
        break;
      case "cancel-load":
        break;
    }
  };

  const early = (message: ToEngineThread): void => {
    if (message.type === "cancel-load" || message.type === "dispose") loading.abort();
  };
  thread.on("message", early);
  const load = async (): Promise<void> => {
    try {
      const { engine, appendedEosTokenId } = await loadLlamaInThread({
        ...options,
        signal: loading.signal,
        onLoadProgress: (fraction) => send({ type: "progress", fraction }),
      });
      if (loading.signal.aborted) {
        await engine.dispose();
        loading.signal.throwIfAborted();
      }
      thread.off("message", early);
      board = new CounterBoard(engine.info.speculation?.draftBudget ?? null);
      board.write(engine.counters());
      engine.onProgress = () => board?.write(engine.counters());
      thread.on("message", (message: ToEngineThread) => handle(engine, message));
      send({ type: "loaded", info: engine.info, appendedEosTokenId, board: board.buffer });
    } catch (error) {
      send({ type: "load-failed", error: thrown(error) });
      close();
    }
  };
  void load();
}
