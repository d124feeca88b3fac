// Entry of a worker, thread or process. Nothing of it is exported: see worker-pool.ts.
import { parentPort } from "node:worker_threads";
import type { ToWorker } from "./messages.ts";
import { createWorkerLoop } from "./worker-loop.ts";

if (parentPort === null) {
  const loop = createWorkerLoop({
    post: (message) => process.send?.(message),
  });
  process.on("message", (message: ToWorker) => loop(message));
  // Ctrl-C reaches every process of a terminal; the main one says what is to be done about it.
  process.on("SIGINT", () => {});
  process.on("disconnect", () => process.exit());
} else {
  const port = parentPort;
  const loop = createWorkerLoop({
    post: (message, memory) => port.postMessage(message, memory ?? []),
  });
  port.on("message", (message: ToWorker) => loop(message));
}
