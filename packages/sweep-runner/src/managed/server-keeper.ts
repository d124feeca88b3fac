import type { BenchConfig } from "@onpar/bench-config";
import { serverCommand } from "./server-command.ts";
import { startManagedServer, type ManagedServer, type ManagedServerOptions } from "./managed-server.ts";

/** Keeps the server of a sweep running, and starts another one where a point or a boot needs it. */
export interface ServerKeeper {
  /**
   * The server for a measurement: the one that runs if it was started in the same boot with the same command and still lives,
   * else a new one. Null where this program starts none.
   */
  ensure(config: BenchConfig, boot: number, signal?: AbortSignal): Promise<ManagedServer | null>;
  stop(): Promise<void>;
}

/** @param options everything but the configuration, which every measurement has of its own */
export function createServerKeeper(options: Omit<ManagedServerOptions, "config" | "signal">): ServerKeeper {
  let server: ManagedServer | null = null;
  let key = "";
  const stop = async (): Promise<void> => {
    const old = server;
    server = null;
    await old?.stop();
  };
  return {
    async ensure(config, boot, signal) {
      if (config.server.command.length === 0) return null;
      const wanted = JSON.stringify([boot, serverCommand(config)]);
      if (server !== null && key === wanted && server.failure === null) return server;
      await stop();
      server = await startManagedServer({ ...options, config, signal });
      key = wanted;
      return server;
    },
    stop,
  };
}
