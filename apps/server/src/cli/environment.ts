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

export function processEnvironment(): CliEnvironment {
  return {
    variables: process.env,
    stdout: process.stdout,
    stderr: process.stderr,
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
