import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

// The commands as they were built: these tests are about whole processes.
const command = (file: string) => fileURLToPath(new URL(`../../../apps/${file}`, import.meta.url));
const serverCommand = command("server/bin/onpar-server.js");
const benchCommand = command("bench/bin/onpar.js");

/** What a finished command left behind. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningServer {
  readonly url: string;
  readonly pid: number;
  /** All that it wrote so far, on both streams. */
  written(): string;
  /** Asks the server to end and resolves with its exit code. */
  stop(): Promise<number | null>;
}

/** Starts onpar-server on a free port and waits until it says that it is ready. */
export async function startServer(
  flags: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<RunningServer> {
  const child = spawn(process.execPath, [serverCommand, "--port=0", ...flags], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  const ended = exitCode(child);
  let complaints = "";
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (complaints += text));
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      said += `${line}\n`;
      const ready = /ready on (http:\/\/\S+)/.exec(line)?.[1];
      if (ready !== undefined) resolve(ready);
    });
    void ended.then((code) => reject(new Error(`onpar-server ended with ${code}: ${complaints}`)));
  });
  return {
    url,
    pid: child.pid ?? 0,
    written: () => said + complaints,
    async stop() {
      child.kill("SIGTERM");
      return ended;
    },
  };
}

/** Runs `onpar-server` to its end: for what it refuses to start with. */
export async function serverRefusing(flags: readonly string[]): Promise<Finished> {
  return finished([process.execPath, serverCommand, "--port=0", ...flags]);
}

/**
 * Runs the `onpar` command to its end, without a terminal. `onStart` gets the process as soon as it runs, for a test that
 * interrupts it.
 */
export async function onpar(
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
  onStart: (child: ChildProcess) => void = () => {},
): Promise<Finished> {
  return finished([process.execPath, benchCommand, ...flags], env, onStart);
}

/** Runs `onpar` where no file can grow beyond a size: the disk of this process is full from there on. */
export async function onparOnSmallDisk(flags: readonly string[], kilobytes: number): Promise<Finished> {
  const script = 'ulimit -f "$1"; shift; exec "$@"';
  const blocks = String(kilobytes * 2);
  return finished(["sh", "-c", script, "sh", blocks, process.execPath, benchCommand, ...flags]);
}

async function finished(
  [executable = "", ...flags]: readonly string[],
  env: Readonly<Record<string, string>> = {},
  onStart: (child: ChildProcess) => void = () => {},
): Promise<Finished> {
  const child = spawn(executable, flags, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  onStart(child);
  return { code: await exitCode(child), stdout, stderr };
}

function exitCode(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code));
  });
}
