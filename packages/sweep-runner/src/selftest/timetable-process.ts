import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { RunError } from "../errors.ts";
import type { FromTimetable, Timetable, TimetableReport, ToTimetable } from "./timetable.ts";

/** Built beside this module. */
const ENTRY = new URL("./timetable-main.js", import.meta.url);

/** A timetable server in a process of its own. */
export interface TimetableProcess {
  /** Server root. It serves `/v1/models` and `/v1/completions`. */
  readonly url: string;
  readonly pid: number;
  /** Answers as told from the next request on; stamps are ns since `startNs` of the monotonic clock. */
  follow(timetable: Timetable, startNs?: bigint): void;
  /** Makes it stand still, as a server does that is busy with something else. */
  freeze(ms: number): void;
  /** How well it kept its times since {@link follow}. */
  report(): Promise<TimetableReport>;
  close(): Promise<void>;
}

/**
 * Starts a server that answers at known times and writes into each token when it was sent: what a client measures can be
 * held against it, because both read the same clock.
 *
 * @throws {RunError} `SELFTEST_FAILED` when the process does not start
 */
export async function startTimetableServer(timetable: Timetable, startNs = 0n): Promise<TimetableProcess> {
  const child = fork(fileURLToPath(ENTRY), {
    serialization: "advanced",
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const gone = new Promise<void>((resolve) => child.on("close", () => resolve()));
  const tell = (message: ToTimetable): void => void child.send(message);
  let answered: ((report: TimetableReport) => void) | null = null;
  const port = await new Promise<number>((resolve, reject) => {
    const failed = (why: string): void =>
      reject(new RunError("SELFTEST_FAILED", `the timetable server did not start: ${why}`));
    child.on("error", (error) => failed(error.message));
    child.on("exit", (code) => failed(`it ended with code ${code}`));
    child.on("message", (message: FromTimetable) => {
      if (message.type === "listening") resolve(message.port);
      else answered?.(message.report);
    });
  });
  tell({ type: "timetable", timetable, startNs });
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    follow: (next, from = 0n) => tell({ type: "timetable", timetable: next, startNs: from }),
    freeze: (ms) => tell({ type: "freeze", ms }),
    report: () =>
      new Promise((resolve) => {
        answered = resolve;
        tell({ type: "report" });
      }),
    async close() {
      child.kill("SIGKILL");
      await gone;
    },
  };
}
