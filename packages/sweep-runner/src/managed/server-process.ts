import { spawn, type ChildProcess } from "node:child_process";
import { createWriteStream, type WriteStream } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { BenchConfig } from "@onpar/bench-config";
import { messageOf, RunError } from "../errors.ts";
import { createLogTail, type LogTail } from "./log-tail.ts";

/** How a server process ended. */
export interface ServerExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A server that this program has started, with everything that it has started itself: its process group. */
export interface ServerProcess {
  readonly pid: number;
  /** The last lines that it printed. */
  readonly log: LogTail;
  /** Settles when the process has ended, however that was. */
  readonly exited: Promise<ServerExit>;
  /** Null as long as it runs. */
  readonly exit: ServerExit | null;
  /** Ends the group: the configured signal first, SIGKILL for whoever is left after `stopTimeoutS`. Idempotent. */
  stop(): Promise<void>;
}

/** What a server is started with and ended by. */
export type ServerSettings = Pick<
  BenchConfig["server"],
  "cwd" | "envNames" | "logFile" | "stopSignal" | "stopTimeoutS"
>;

/** Handed to every server: without them most programs do not start. */
const ALWAYS = ["PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "SystemRoot", "TEMP"];
const POLL_MS = 25;

/**
 * Starts a server without a shell, in a process group of its own. It gets no more of this program's environment than what
 * `envNames` names, so that keys stay where they are.
 *
 * @throws {RunError} `SERVER_EXITED` when the command cannot be started
 */
export async function startServerProcess(
  command: readonly string[],
  settings: ServerSettings,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<ServerProcess> {
  const [executable = "", ...args] = command;
  const log = createLogTail();
  const file = settings.logFile === null ? null : createWriteStream(settings.logFile, { flags: "a" });
  // A log that cannot be written is no reason to lose the measurement; its last lines are kept all the same.
  file?.on("error", () => {});
  const child = spawn(executable, args, {
    cwd: settings.cwd ?? undefined,
    detached: process.platform !== "win32",
    env: Object.fromEntries([...ALWAYS, ...settings.envNames].map((name) => [name, environment[name]])),
    stdio: ["ignore", "pipe", "pipe"],
  });
  try {
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", reject);
    });
  } catch (error) {
    file?.end();
    throw new RunError("SERVER_EXITED", `cannot start the server (${executable}): ${messageOf(error)}`, {
      cause: error,
    });
  }
  return new GroupedProcess(child, log, file, settings);
}

class GroupedProcess implements ServerProcess {
  readonly pid: number;
  readonly log: LogTail;
  readonly exited: Promise<ServerExit>;
  exit: ServerExit | null = null;
  readonly #settings: ServerSettings;
  #stopping: Promise<void> | null = null;

  constructor(child: ChildProcess, log: LogTail, file: WriteStream | null, settings: ServerSettings) {
    this.pid = child.pid ?? -1;
    this.log = log;
    this.#settings = settings;
    for (const output of [child.stdout, child.stderr]) {
      output?.on("data", (chunk: Buffer) => {
        log.add(chunk);
        file?.write(chunk);
      });
    }
    // Nothing of this program keeps a group alive that outlives it; and whatever ends it takes the group along.
    const onExit = (): void => this.#signal("SIGKILL");
    process.once("exit", onExit);
    this.exited = new Promise((resolve) => {
      child.once("exit", (code, signal) => {
        this.exit = { code, signal };
        process.off("exit", onExit);
        resolve(this.exit);
      });
      child.once("close", () => file?.end());
    });
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    const { stopSignal, stopTimeoutS } = this.#settings;
    this.#signal(stopSignal);
    const deadline = performance.now() + stopTimeoutS * 1000;
    while (this.#groupLives() && performance.now() < deadline) await sleep(POLL_MS);
    if (this.#groupLives()) this.#signal("SIGKILL");
    await this.exited;
    while (this.#groupLives()) await sleep(POLL_MS);
  }

  #signal(signal: NodeJS.Signals): void {
    try {
      process.kill(process.platform === "win32" ? this.pid : -this.pid, signal);
    } catch {
      // Gone already.
    }
  }

  /** Workers may outlive the process that started them. */
  #groupLives(): boolean {
    if (process.platform === "win32") return this.exit === null;
    try {
      process.kill(-this.pid, 0);
      return true;
    } catch {
      return false;
    }
  }
}
