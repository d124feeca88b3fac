import { readBounded } from "./bounded-input.ts";
import { exitCodes } from "./exit-codes.ts";

/** A stream that text is written to. */
export interface TextOutput {
  readonly isTerminal: boolean;
  /** Columns of the terminal; null where there is none. */
  readonly columns: number | null;
  write(text: string): void;
}

/** Everything that the commands use of the process, so that tests can run them without one. */
export interface Env {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
  readonly stdin: {
    readonly isTerminal: boolean;
    /** All of standard input as text. @throws {RangeError} when it has more than `maxBytes`. */
    readText(maxBytes: number): Promise<string>;
  };
  /** Milliseconds on a monotonic clock, for drawing progress. */
  nowMs(): number;
  /** Calls back on SIGINT and SIGTERM instead of ending the process; returns what takes the callback off again. */
  onInterrupt(callback: () => void): () => void;
  setExitCode(code: number): void;
  /** Ends the process without waiting for anything. */
  exitNow(code: number): void;
}

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** The process itself. */
export function processEnv(): Env {
  let isOutputLost = false;
  const stderr = textOutput(process.stderr, () => {});
  const stdout = textOutput(process.stdout, (reason) => {
    isOutputLost = true;
    process.exitCode = exitCodes.usage.code;
    stderr.write(`onpar: standard output cannot be written (${reason})\n`);
  });
  return {
    variables: process.env,
    stdout,
    stderr,
    stdin: {
      isTerminal: process.stdin.isTTY,
      readText: (maxBytes) => readBounded(process.stdin, maxBytes),
    },
    nowMs: () => performance.now(),
    onInterrupt(callback) {
      for (const signal of SIGNALS) process.on(signal, callback);
      return () => {
        for (const signal of SIGNALS) process.off(signal, callback);
      };
    },
    setExitCode(code) {
      process.exitCode = isOutputLost && code === exitCodes.ok.code ? exitCodes.usage.code : code;
    },
    exitNow: (code) => process.exit(code),
  };
}

type OutputStream = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

/**
 * A stream of the process to write to. Whoever reads may stop reading (`onpar … | head`): that is no failure of ours, and
 * what follows is dropped.
 *
 * @param onLost told once why text that somebody wants cannot be written (a full disk)
 */
export function textOutput(stream: OutputStream, onLost: (reason: string) => void): TextOutput {
  let isOpen = true;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    const isFirst = isOpen;
    isOpen = false;
    if (isFirst && error.code !== "EPIPE") onLost(error.code ?? error.message);
  });
  return {
    isTerminal: stream.isTTY === true,
    get columns() {
      // Some pseudo-terminals say 0.
      return stream.isTTY === true && (stream.columns ?? 0) > 0 ? (stream.columns ?? null) : null;
    },
    write(text) {
      if (isOpen) stream.write(text);
    },
  };
}
