import { once } from "node:events";
import type { Server } from "node:http";

import type { Engine } from "@onpar/engine-binding";
import type { FastifyInstance } from "fastify";

import { createApp } from "../app.ts";
import { createHttpServer } from "../http/http-server.ts";
import { answerWhileLoading } from "../http/loading.ts";
import { defaultLimits, type ServerLimits } from "../server-limits.ts";
import { packageVersion } from "../version.ts";
import { usageError } from "./cli-error.ts";
import { keysOf, readSmallFile } from "./config-file.ts";
import type { CliEnvironment } from "./environment.ts";
import { checkKeys, type ServeSettings } from "./flags.ts";
import { listen } from "./listen.ts";
import { loadEngine } from "./load-engine.ts";

/** How long clients have to read that their request was ended, ms. */
const farewellMs = 500;

const loopback = /^(?:127(?:\.\d+){3}|::1|localhost)$/;

function readyLine(url: string, servedModelName: string, { info }: Engine): string {
  const draft =
    info.speculation === null
      ? "draft off"
      : `draft ${info.speculation.draftModel} x ${info.speculation.draftBudget}`;
  return `onpar-server ready on ${url} (model ${servedModelName}, ${draft}, slots ${info.slots}, ctx ${info.contextSize})\n`;
}

interface StopRequests {
  /** Resolves on the first signal. */
  readonly first: Promise<void>;
  /** Aborts on the first signal. */
  readonly signal: AbortSignal;
  release(): void;
}

/** The first signal asks the server to finish its work; the second ends the process at once. */
function stopRequests(environment: CliEnvironment): StopRequests {
  const asked = new AbortController();
  const release = environment.onStopRequest((signal) => {
    if (asked.signal.aborted) {
      release();
      environment.endBySignal(signal);
      return;
    }
    asked.abort();
  });
  const first = new Promise<void>((resolve) => {
    asked.signal.addEventListener("abort", () => resolve(), { once: true });
  });
  return { first, signal: asked.signal, release };
}

/** Accepts nothing more, lets running requests finish until the deadline, then ends them, then their connections. */
async function drain(app: FastifyInstance, stop: AbortController, drainMs: number): Promise<void> {
  const endRequests = setTimeout(() => stop.abort(), drainMs);
  const endConnections = setTimeout(() => app.server.closeAllConnections(), drainMs + farewellMs);
  try {
    await app.close();
    await closeServer(app.server);
  } finally {
    clearTimeout(endRequests);
    clearTimeout(endConnections);
  }
}

/** Resolves when the last connection has ended; those that are idle end now. */
async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, "close");
  server.close();
  server.closeIdleConnections();
  await closed;
}

/** Null when the stop request came while the engine was loading: then what loading says of it is no failure. */
async function loadUnlessStopped(
  settings: ServeSettings,
  environment: CliEnvironment,
  signal: AbortSignal,
  onShare: (share: number) => void,
): Promise<Engine | null> {
  try {
    return await loadEngine(settings, environment, signal, onShare);
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

/** @throws {CliError} exit code 2 when the file cannot be used */
async function keysFromFile(path: string | null): Promise<readonly string[]> {
  if (path === null) return [];
  const keys = keysOf(await readSmallFile(path, "--api-key-file"));
  if (keys.length === 0) throw usageError(`--api-key-file: ${path} holds no key`);
  checkKeys(keys, "--api-key-file: a key");
  return keys;
}

/** Most different notes that are printed: what clients send must not fill a disk. */
const maxNotes = 100;

/** Prints every note once. */
function notes({ quiet }: ServeSettings, { stderr }: CliEnvironment): (note: string) => void {
  const printed = new Set<string>();
  return (note) => {
    if (quiet || printed.has(note) || printed.size >= maxNotes) return;
    printed.add(note);
    stderr.write(`onpar-server: ${note}\n`);
  };
}

/**
 * Serves until a stop request, then drains and frees the engine.
 *
 * @throws {CliError} when a file, a flag or the port cannot be used
 */
export async function serve(settings: ServeSettings, environment: CliEnvironment): Promise<void> {
  const stopped = stopRequests(environment);
  try {
    const apiKeys = [...settings.apiKeys, ...(await keysFromFile(settings.apiKeyFile))];
    const limits: ServerLimits = {
      ...defaultLimits,
      maxBodyBytes: settings.maxBodyBytes,
      maxWaiting: settings.maxQueue,
    };
    const server = createHttpServer(limits);
    let share = 0;
    answerWhileLoading(server, { serverVersion: packageVersion(), share: () => share });
    const url = await listen(server, settings.host, settings.port);
    if (!settings.quiet && apiKeys.length === 0 && !loopback.test(settings.host)) {
      environment.stderr.write(
        `onpar-server: warning: ${settings.host} is reachable from other machines and no --api-key is set\n`,
      );
    }
    try {
      await using engine = await loadUnlessStopped(settings, environment, stopped.signal, (loaded) => {
        share = loaded;
      });
      if (engine === null || stopped.signal.aborted) return;
      const stop = new AbortController();
      const servedModelName = settings.servedModelName ?? engine.info.model.name;
      const app = createApp({
        engine,
        server,
        servedModelName,
        apiKeys,
        adminKeys: settings.adminKeys,
        limits,
        strict: settings.strict,
        requestTemplates: settings.allowRequestTemplates,
        metricsSchema: settings.metricsSchema,
        onNote: notes(settings, environment),
        stopSignal: stop.signal,
        onServerError: (error) => environment.stderr.write(`onpar-server: ${oneLine(error.message)}\n`),
      });
      await app.ready();
      environment.stdout.write(readyLine(url, servedModelName, engine));
      await stopped.first;
      await drain(app, stop, settings.drainSeconds * 1000);
    } finally {
      server.closeAllConnections();
      await closeServer(server);
    }
  } finally {
    stopped.release();
  }
}

export function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, " ").trim();
}
