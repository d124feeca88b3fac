import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";

import { usageError } from "./cli-error.ts";

const reasons: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) =>
    `port ${port} on ${host} is in use: choose another with --port (0 takes a free one)`,
  EACCES: (host, port) => `no permission to listen on port ${port} of ${host}: choose another with --port`,
  EADDRNOTAVAIL: (host) => `--host: ${host} is not an address of this machine`,
  ENOTFOUND: (host) => `--host: ${host} is not known`,
  EAI_AGAIN: (host) => `--host: ${host} could not be looked up`,
};

function isAddress(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === "object" && address !== null;
}

/**
 * Listens and returns the server's URL.
 *
 * @throws {CliError} exit code 2 when the address or the port cannot be used
 */
export async function listen(server: Server, host: string, port: number): Promise<string> {
  try {
    // One server has one address: the name means two.
    server.listen({ host: host === "localhost" ? "127.0.0.1" : host, port });
    await once(server, "listening");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const reason = reasons[code];
    if (reason === undefined) throw error;
    throw usageError(reason(host, port), error);
  }
  const address = server.address();
  const actual = isAddress(address) ? address.port : port;
  return `http://${host.includes(":") ? `[${host}]` : host}:${actual}`;
}
