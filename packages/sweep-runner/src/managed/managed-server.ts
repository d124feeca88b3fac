import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { BenchConfig } from "@onpar/bench-config";
import { z } from "zod";
import { serverRoot } from "../base-url.ts";
import { createControlClient, type ControlClient } from "../control-client.ts";
import { RunError } from "../errors.ts";
import { serverCommand } from "./server-command.ts";
import { startServerProcess, type ServerExit, type ServerProcess } from "./server-process.ts";

/** A server that was started for a measurement, and has proved that it answers. */
export interface ManagedServer {
  readonly command: readonly string[];
  readonly pid: number;
  /** From the start of the process to the first token, s. */
  readonly readyAfterS: number;
  /** Null as long as it runs; else one line: how it ended and what it printed last. */
  readonly failure: string | null;
  /** Aborted when the process ends although nobody stopped it. */
  readonly died: AbortSignal;
  stop(): Promise<void>;
}

/** What a server is started with. */
export interface ManagedServerOptions {
  readonly config: BenchConfig;
  /** Sent as `Authorization: Bearer …`; null sends no header. */
  readonly apiKey: string | null;
  readonly signal?: AbortSignal | undefined;
  /** Told what is waited for. */
  readonly onProgress?: ((text: string) => void) | undefined;
  readonly environment?: NodeJS.ProcessEnv | undefined;
}

const POLL_MS = 200;

const modelsSchema = z.looseObject({ data: z.array(z.looseObject({ id: z.string() })) });

/**
 * Starts the server of `server.command`, and waits until it says that it is ready and has answered one request with a token: a
 * server whose health page answers may still be loading, or refuse the model.
 *
 * @throws {RunError} `SERVER_EXITED` with what it printed last, `SERVER_NOT_READY` after `server.readyTimeoutS`,
 * `TARGET_INVALID` where something listens on its port already, `INTERRUPTED`
 */
export async function startManagedServer(options: ManagedServerOptions): Promise<ManagedServer> {
  const { config, apiKey, signal } = options;
  const command = serverCommand(config);
  const root = serverRoot(config.target.baseUrl);
  await requireFreePort(root, command[0] ?? "");
  const startedAt = performance.now();
  options.onProgress?.(`starting ${command[0] ?? ""}`);
  const server = await startServerProcess(command, config.server, options.environment);
  const control = createControlClient(root, apiKey, config.requestTimeoutMs, {
    headers: config.target.headers,
  });
  try {
    await untilReady({ config, server, control, startedAt, signal, onProgress: options.onProgress });
  } catch (error) {
    await server.stop();
    throw error;
  } finally {
    await control.close();
  }
  return watched(command, server, (performance.now() - startedAt) / 1000);
}

function watched(command: readonly string[], server: ServerProcess, readyAfterS: number): ManagedServer {
  const died = new AbortController();
  let isStopped = false;
  let failure: string | null = null;
  const watch = async (): Promise<void> => {
    const exit = await server.exited;
    if (isStopped) return;
    failure = exitInWords(exit, server);
    died.abort(new RunError("SERVER_EXITED", failure));
  };
  void watch();
  return {
    command,
    pid: server.pid,
    readyAfterS,
    died: died.signal,
    get failure() {
      return failure;
    },
    async stop() {
      isStopped = true;
      await server.stop();
    },
  };
}

/** Otherwise another server would be measured, and the one that was started would end because it has no port. */
async function requireFreePort(root: string, executable: string): Promise<void> {
  const { hostname, port, protocol, host } = new URL(root);
  const number = port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
  const isTaken = await new Promise<boolean>((resolve) => {
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ""), port: number, timeout: 2000 });
    const answer = (taken: boolean) => (): void => {
      socket.destroy();
      resolve(taken);
    };
    socket.once("connect", answer(true)).once("error", answer(false)).once("timeout", answer(false));
  });
  if (!isTaken) return;
  throw new RunError(
    "TARGET_INVALID",
    `something listens on ${host} already, so ${executable} cannot be started there: stop it, or choose another port in ` +
      "server.command and --base-url; to measure the server that runs there, leave out server.command",
  );
}

interface Readiness {
  readonly config: BenchConfig;
  readonly server: ServerProcess;
  readonly control: ControlClient;
  readonly startedAt: number;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: ((text: string) => void) | undefined;
}

async function untilReady({
  config,
  server,
  control,
  startedAt,
  signal,
  onProgress,
}: Readiness): Promise<void> {
  const { readyTimeoutS } = config.server;
  let last = "nothing has answered yet";
  for (;;) {
    if (signal?.aborted === true)
      throw new RunError("INTERRUPTED", "interrupted while the server was starting");
    if (server.exit !== null) throw new RunError("SERVER_EXITED", exitInWords(server.exit, server));
    const state = await readiness(config, control, signal);
    if (state === null) return;
    last = state;
    const waitedS = (performance.now() - startedAt) / 1000;
    if (waitedS >= readyTimeoutS) {
      throw new RunError(
        "SERVER_NOT_READY",
        `the server is not ready after ${readyTimeoutS} s: ${last}${printed(server)}; raise server.readyTimeoutS if it needs longer`,
      );
    }
    onProgress?.(`waiting for the server, ${Math.round(waitedS)} s: ${last}`);
    await Promise.race([sleep(POLL_MS), server.exited]);
  }
}

/** Null when it is ready; else what it lacks, in words. */
async function readiness(
  config: BenchConfig,
  control: ControlClient,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  try {
    const { readyUrl } = config.server;
    const page = readyUrl ?? `${control.root}/v1/models`;
    const status =
      readyUrl === null ? (await control.get("/v1/models", signal)).status : await statusOf(readyUrl, signal);
    if (status < 200 || status > 299) return `${page} answers ${status}`;
    const model = config.target.model ?? (await servedModel(control, signal));
    const answer = await control.post(
      "/v1/completions",
      { ...(model === null ? {} : { model }), prompt: "Hello", max_tokens: 1, temperature: 0 },
      signal,
    );
    if (answer.status >= 200 && answer.status < 300) return null;
    // A server without this endpoint has shown that it answers.
    return answer.status === 404 || answer.status === 405
      ? null
      : `a request for one token is answered ${answer.status}`;
  } catch (error) {
    if (error instanceof RunError && error.code === "INTERRUPTED") throw error;
    return "nothing answers yet";
  }
}

async function statusOf(url: string, signal: AbortSignal | undefined): Promise<number> {
  const limit = AbortSignal.timeout(5000);
  const response = await fetch(url, {
    signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
  });
  await response.body?.cancel();
  return response.status;
}

async function servedModel(control: ControlClient, signal: AbortSignal | undefined): Promise<string | null> {
  const models = modelsSchema.safeParse((await control.get("/v1/models", signal)).json);
  return models.data?.data[0]?.id ?? null;
}

function exitInWords({ code, signal }: ServerExit, server: ServerProcess): string {
  const how = signal === null ? `with code ${String(code)}` : `by ${signal}`;
  return `the server ended ${how}${printed(server)}`;
}

function printed(server: ServerProcess): string {
  const lines = server.log.lines().slice(-3);
  return lines.length === 0 ? "; it printed nothing" : `; it printed last: ${lines.join(" | ")}`;
}
