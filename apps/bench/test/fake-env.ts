import type { Env } from "../src/env.ts";
import { run } from "../src/run.ts";

export interface FakeEnvOptions {
  readonly variables?: Readonly<Record<string, string>>;
  /** Standard input is a pipe with this text; null is a terminal. */
  readonly stdin?: string | null;
  readonly stdoutIsTerminal?: boolean;
  readonly stderrIsTerminal?: boolean;
  readonly nowMs?: () => number;
}

/** A process that keeps what is written, and whose Ctrl-C is a function. */
export interface FakeEnv extends Env {
  readonly written: { stdout: string; stderr: string };
  readonly exits: number[];
  interrupt(): void;
}

export function fakeEnv(options: FakeEnvOptions = {}): FakeEnv {
  const { stdin = null } = options;
  const written = { stdout: "", stderr: "" };
  const exits: number[] = [];
  const interrupted = new Set<() => void>();
  const output = (name: "stdout" | "stderr", isTerminal = false) => ({
    isTerminal,
    columns: isTerminal ? 100 : null,
    write(text: string) {
      written[name] += text;
    },
  });
  return {
    variables: options.variables ?? {},
    stdout: output("stdout", options.stdoutIsTerminal),
    stderr: output("stderr", options.stderrIsTerminal),
    stdin: { isTerminal: stdin === null, readText: () => Promise.resolve(stdin ?? "") },
    nowMs: options.nowMs ?? (() => performance.now()),
    onInterrupt(callback) {
      interrupted.add(callback);
      return () => interrupted.delete(callback);
    },
    setExitCode: (code) => exits.push(code),
    exitNow: (code) => exits.push(code),
    written,
    exits,
    interrupt() {
      for (const callback of interrupted) callback();
    },
  };
}

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line to its end. */
export async function onpar(argv: readonly string[], options: FakeEnvOptions = {}): Promise<Outcome> {
  const env = fakeEnv(options);
  const code = await run(argv, env);
  return { code, ...env.written };
}
