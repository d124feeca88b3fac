import { fork } from "node:child_process";
import { Worker } from "node:worker_threads";
import { fileURLToPath } from "node:url";
import type { FromWorker, ToWorker } from "./messages.ts";

/** A worker as the main thread holds it. */
export interface WorkerHandle {
  post(message: ToWorker): void;
  /** Ends it now. */
  kill(): Promise<void>;
}

export interface WorkerEvents {
  readonly onMessage: (message: FromWorker) => void;
  /** It is gone: why, in words. */
  readonly onExit: (reason: string) => void;
}

/** Built beside this module. */
const ENTRY = new URL("./worker-main.js", import.meta.url);

const YOUNG_MIB = 48;

/** Starts a worker thread; it shares memory with this one. */
export function startThread({ onMessage, onExit }: WorkerEvents): WorkerHandle {
  const thread = new Worker(ENTRY, {
    name: "onpar worker",
    // What a request leaves is short-lived: with more room for it, less of it is copied around.
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB },
  });
  let reason: string | null = null;
  thread.on("message", onMessage);
  thread.on("error", (error) => {
    reason = error instanceof Error ? error.message : String(error);
  });
  thread.on("exit", (code) => onExit(reason ?? `it ended with code ${code}`));
  return {
    post: (message) => thread.postMessage(message),
    kill: async () => {
      await thread.terminate();
    },
  };
}

/** Starts a worker process: another heap and another core for garbage collection, at the price of copying. */
export function startProcess({ onMessage, onExit }: WorkerEvents): WorkerHandle {
  const child = fork(fileURLToPath(ENTRY), {
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let complaint = "";
  child.stderr?.on("data", (data: Buffer) => {
    complaint = (complaint + data.toString("utf8")).slice(-2000);
  });
  const gone = new Promise<void>((resolve) => {
    child.on("close", (code, signal) => {
      const said = /^\w*Error.*$/m.exec(complaint)?.[0];
      onExit(said ?? (signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`));
      resolve();
    });
  });
  child.on("error", (error) => {
    complaint = `Error: ${error.message}`;
  });
  child.on("message", (message: FromWorker) => onMessage(message));
  return {
    post: (message) => {
      if (child.connected) child.send(message);
    },
    kill: async () => {
      child.kill("SIGKILL");
      await gone;
    },
  };
}
