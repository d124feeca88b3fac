import { request } from "node:http";

import { afterEach, describe, expect, it } from "vitest";

import { startLiveServer, type LiveServer } from "../src/live/live-server.ts";
import { UsageError } from "../src/usage-error.ts";

const open: LiveServer[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close("{}")));
});

async function start(port = 0): Promise<LiveServer> {
  const server = await startLiveServer({
    port,
    page: () => "<!doctype html><title>run</title>",
    policy: "default-src 'none'",
    event: () => '{"first":true}',
  });
  open.push(server);
  return server;
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** By hand: `fetch` lets nobody choose the host. */
function ask(
  url: string,
  { method = "GET", host }: { method?: string; host?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = host === undefined ? {} : { host };
    const asked = request(url, { method, headers }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text: string) => (body += text));
      response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, body }));
    });
    asked.on("error", reject);
    asked.end();
  });
}

describe("the server of the live page", () => {
  it("listens on the loopback interface, behind a token that nobody guesses", async () => {
    const [one, other] = [await start(), await start()];
    expect(one.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/$/);
    expect(new URL(one.url).pathname).not.toBe(new URL(other.url).pathname);
    const { status, headers, body } = await ask(one.url);
    expect({ status, body }).toEqual({ status: 200, body: "<!doctype html><title>run</title>" });
    expect(headers).toMatchObject({
      "content-security-policy": "default-src 'none'",
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    });
    expect(headers).not.toHaveProperty("access-control-allow-origin");
  });

  it("refuses a wrong token, other hosts, other methods and other paths", async () => {
    const { url } = await start();
    const { origin, port, pathname } = new URL(url);
    for (const path of ["/", "/events", `/${"A".repeat(32)}/`, `/${"A".repeat(32)}/events`, "/%2e%2e/"])
      expect((await ask(`${origin}${path}`)).status, path).toBe(403);
    for (const host of ["evil.example", `evil.example:${port}`, "127.0.0.1.evil.example", "0.0.0.0"])
      expect((await ask(url, { host })).status, host).toBe(403);
    for (const host of [`localhost:${port}`, "127.0.0.1:1", "[::1]:8080"])
      expect((await ask(url, { host })).status, host).toBe(200);
    expect((await ask(url, { method: "POST" })).status).toBe(405);
    expect((await ask(`${url}other`)).status).toBe(404);
    expect((await ask(`${url}events/more`)).status).toBe(404);
    expect(await ask(`${origin}${pathname.slice(0, -1)}`)).toMatchObject({
      status: 308,
      headers: { location: pathname },
    });
  });

  it("tells a page what is, what is new and what is last", async () => {
    const server = await start();
    const response = await fetch(`${server.url}events`);
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    while (server.watchers === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    server.push('{"second":true}');
    await server.close('{"last":true}');
    const events = [...(await response.text()).matchAll(/^data: (.*)$/gm)].map(([, data]) => data);
    expect(events).toEqual(['{"first":true}', '{"second":true}', '{"last":true}']);
    await expect(fetch(server.url)).rejects.toThrow("fetch failed");
  });

  it("waits at its end for a page that was fetched and does not listen yet", async () => {
    const server = await start();
    await ask(server.url);
    const closing = server.close('{"last":true}');
    const late = await fetch(`${server.url}events`);
    await closing;
    expect(await late.text()).toContain('data: {"last":true}');
  });

  it("has room for a few pages only", async () => {
    const server = await start();
    const pages = await Promise.all(Array.from({ length: 9 }, () => fetch(`${server.url}events`)));
    expect(pages.map(({ status }) => status).filter((status) => status === 503)).toHaveLength(1);
  });

  it("says that a port cannot be had", async () => {
    const { url } = await start();
    const taken = start(Number(new URL(url).port));
    await expect(taken).rejects.toThrow(UsageError);
    await expect(taken).rejects.toThrow(/--live \d+: that port cannot be had \(EADDRINUSE\)/);
  });
});
