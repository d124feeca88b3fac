// Entry of a worker, thread or process. Nothing of it is exported: see worker-pool.ts.
import { parentPort } from "node:worker_threads";
import type { ToWorker } from "./messages.ts";
import { createWorkerLoop } from "./worker-loop.ts";

if (parentPort === null) {
  const loop = createWorkerLoop({
    post: (message) => process.send?.(message),
  });
  process.on("message", (message: ToWorker) => loop(message));
  // Signals reach every process of a terminal, a service or a container; the main one says what is to be done about it, and
  // its end is theirs.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
  process.on("disconnect", () => process.exit());
} else {
  const port = parentPort;
  const loop = createWorkerLoop({
    post: (message, memory) => port.postMessage(message, memory ?? []),
  });
  port.on("message", (message: ToWorker) => loop(message));
}
