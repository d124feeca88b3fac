/** The part of a stream that the command writes to. */
export interface TextOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Everything of the process that the command touches, so that tests can run it in theirs. */
export interface CliEnvironment {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
  /** Calls `listener` on SIGINT and SIGTERM until the returned function is called. */
  readonly onStopRequest: (listener: (signal: NodeJS.Signals) => void) => () => void;
  /** Ends this process by the signal's default action. */
  readonly endBySignal: (signal: NodeJS.Signals) => void;
}

const stopSignals = ["SIGINT", "SIGTERM"] as const;

/** The process itself. */
export function processEnvironment(): CliEnvironment {
  return {
    variables: process.env,
    stdout: textOutput(process.stdout),
    stderr: textOutput(process.stderr),
    onStopRequest(listener) {
      for (const signal of stopSignals) process.on(signal, listener);
      return () => {
        for (const signal of stopSignals) process.off(signal, listener);
      };
    },
    endBySignal: (signal) => {
      process.kill(process.pid, signal);
    },
  };
}

/** A stream that may break (nobody reads it any more, the disk is full): a server goes on serving all the same. */
export function textOutput(stream: NodeJS.WritableStream & TextOutput): TextOutput {
  stream.on("error", () => {});
  return stream;
}
