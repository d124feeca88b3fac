// A program that prints where it listens, as a process of its own.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** Starts a program; resolves when it has printed its address. */
export async function startProgram(args) {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const port = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const found = /127\.0\.0\.1:(\d+)/.exec(line)?.[1];
      if (found !== undefined) resolve(Number(found));
    });
    void exited.then((code) => reject(new Error(`${args[0]} ended with ${code}`)));
  });
  return {
    port,
    pid: child.pid,
    /** Asks it to end; resolves with its exit code. */
    stop: () => {
      child.kill("SIGTERM");
      return exited;
    },
  };
}

/** onpar-server with the bundled pair, on any free port. */
export function startServer(flags) {
  return startProgram([
    fileURLToPath(new URL("../bin/onpar-server.js", import.meta.url)),
    "--port=0",
    ...flags,
  ]);
}
