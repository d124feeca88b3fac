import { afterEach } from "vitest";
import { startBenchServer, type BenchServer, type BenchServerOptions } from "./bench-server.ts";
import { startServer, type Responder, type ScriptedServer } from "./scripted-server.ts";

/** Starts servers that are closed after each test of the file that calls this. */
export function serversOfEachTest() {
  const open: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((server) => server.close()));
  });
  return {
    benchServer: async (options?: BenchServerOptions): Promise<BenchServer> => {
      const server = await startBenchServer(options);
      open.push(server);
      return server;
    },
    scriptedServer: async (routes: Readonly<Record<string, Responder>>): Promise<ScriptedServer> => {
      const server = await startServer(routes);
      open.push(server);
      return server;
    },
  };
}

/** The JSON body of a request. */
export function bodyOf(request: { readonly body: string } | undefined): Record<string, unknown> {
  return JSON.parse(request?.body ?? "{}") as Record<string, unknown>;
}
