import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { MetricsError, readSpecDecodeCounts, scrapeMetrics, type ScrapeOptions } from "../src/index.ts";
import { fixture, specPage } from "./pages.ts";

const servers: Server[] = [];

/** Starts a server on a free loopback port and gives the URL of its metrics page. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return `http://127.0.0.1:${address.port}/metrics`;
}

function answer(
  status: number,
  body: string | Buffer,
  headers: Record<string, string> = {},
): RequestListener {
  return (_, response) => {
    response.writeHead(status, headers);
    response.end(body);
  };
}

async function failure(url: string, options?: ScrapeOptions): Promise<MetricsError> {
  const outcome: unknown = await scrapeMetrics(url, options).catch((error: unknown) => error);
  if (outcome instanceof MetricsError) return outcome;
  throw new Error(`no MetricsError but ${String(outcome)}`);
}

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }
});

describe("scrapeMetrics", () => {
  it("gives a snapshot with the page, its address and the given time", async () => {
    const url = await serve(
      answer(200, fixture("llama-cpp.prom"), {
        "content-type": "text/plain; version=0.0.4",
        "process-start-time-unix": "123456",
      }),
    );
    const snapshot = await scrapeMetrics(url, { now: () => new Date("2026-03-01T12:00:00Z") });
    expect(snapshot).toMatchObject({ url, takenAt: "2026-03-01T12:00:00.000Z", startToken: "123456" });
    expect(readSpecDecodeCounts(snapshot.samples)?.verifySteps).toBe(100);
    expect(snapshot.families.get("llamacpp:requests_processing")?.type).toBe("gauge");
  });

  it("sends the given headers and asks for the classic text format", async () => {
    let seen: { authorization: string | undefined; accept: string | undefined } | undefined;
    const url = await serve((request, response) => {
      seen = { authorization: request.headers.authorization, accept: request.headers.accept };
      response.end("up 1\n");
    });
    await scrapeMetrics(url, { headers: { authorization: "Bearer key" } });
    expect(seen?.authorization).toBe("Bearer key");
    expect(seen?.accept).toMatch(/^text\/plain;version=0\.0\.4/);
  });

  it("reads gzip, a missing content type and a page sent as one JSON string", async () => {
    const gzip = await serve(answer(200, gzipSync("up 1\n"), { "content-encoding": "gzip" }));
    expect((await scrapeMetrics(gzip)).samples).toMatchObject([{ name: "up", value: 1 }]);
    const json = await serve(answer(200, JSON.stringify('up{a="b"} 1\n')));
    expect((await scrapeMetrics(json)).samples).toMatchObject([{ labels: { a: "b" } }]);
  });

  it("follows a redirect to the page", async () => {
    const url = await serve((request, response) => {
      if (request.url === "/metrics") response.writeHead(307, { location: "/metrics/" }).end();
      else response.end("up 1\n");
    });
    expect((await scrapeMetrics(url)).samples).toHaveLength(1);
  });

  it.each([
    [401, "METRICS_UNAUTHORISED", "header"],
    [403, "METRICS_UNAUTHORISED", "header"],
    [404, "METRICS_NOT_ENABLED", "metrics are not enabled here"],
    [501, "METRICS_NOT_ENABLED", "--metrics"],
    [503, "METRICS_HTTP_STATUS", "503"],
  ])("says what to do about status %i", async (status, code, words) => {
    const url = await serve(answer(status, '{"error":"no"}', { "content-type": "application/json" }));
    const error = await failure(url);
    expect(error).toMatchObject({ code, status });
    expect(error.message).toContain(String(status));
    expect(error.message).toContain(words);
    expect(error.message).toContain(url);
  });

  it.each([
    [
      "a login page",
      "<!DOCTYPE html><html><title>Sign in</title></html>",
      "text/html",
      "METRICS_NOT_EXPOSITION",
    ],
    ["a login page without its type", "\n <html></html>", "text/plain", "METRICS_NOT_EXPOSITION"],
    ["an empty JSON list", "[]", "application/json", "METRICS_EMPTY"],
    ["a JSON list of anything", "[1]", "application/json", "EXPOSITION_INVALID"],
    ["a JSON object", '{"status":"ok"}', "application/json", "METRICS_NOT_EXPOSITION"],
    [
      "bytes that are no UTF-8",
      Buffer.from([0x75, 0x70, 0xff, 0x0a]),
      "text/plain",
      "METRICS_NOT_EXPOSITION",
    ],
    ["a JSON string that is cut off", '"up 1', "application/json", "METRICS_NOT_EXPOSITION"],
    ["nothing", "", "text/plain", "METRICS_EMPTY"],
    ["blanks only", " \n", "text/plain", "METRICS_EMPTY"],
    ["text that is no exposition", "hello world!\nhello again\n", "text/plain", "EXPOSITION_INVALID"],
    ["one word", "OK", "text/plain", "METRICS_NOT_EXPOSITION"],
    ["a greeting", "Ollama is running", "text/plain", "METRICS_NOT_EXPOSITION"],
    ["a web page that begins with a comment", "<!-- x -->\n<html>", "", "METRICS_NOT_EXPOSITION"],
  ])("refuses %s with status 200", async (_, body, contentType, code) => {
    const url = await serve(answer(200, body, { "content-type": contentType }));
    const error = await failure(url);
    expect(error.code).toBe(code);
    expect(error.message).toContain(url);
    expect(error.message).not.toContain("\n");
  });

  it("says where a page is broken", async () => {
    const url = await serve(answer(200, "up 1\nx{ 1\n"));
    expect(await failure(url)).toMatchObject({ code: "EXPOSITION_INVALID", line: 2, column: 4 });
  });

  it("gives up on a body over the limit, and after the time limit", async () => {
    const big = await serve(answer(200, specPage(1, 1, [1])));
    expect(await failure(big, { maxBytes: 100 })).toMatchObject({ code: "METRICS_TOO_LARGE" });
    const silent = await serve(() => undefined);
    expect(await failure(silent, { timeoutMs: 50 })).toMatchObject({ code: "METRICS_TIMEOUT" });
    const stalled = await serve((_, response) => {
      response.write("up 1\n");
    });
    expect(await failure(stalled, { timeoutMs: 50 })).toMatchObject({ code: "METRICS_TIMEOUT" });
  });

  it("notices that the connection broke in the middle of the page", async () => {
    const url = await serve((_, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("up 1\n", () => response.destroy());
    });
    expect(await failure(url)).toMatchObject({ code: "METRICS_UNREACHABLE" });
  });

  it("stops when the caller aborts", async () => {
    const url = await serve(() => undefined);
    const controller = new AbortController();
    const outcome = failure(url, { signal: controller.signal });
    controller.abort();
    expect(await outcome).toMatchObject({ code: "METRICS_ABORTED" });
  });

  it("says that a server cannot be reached, and where", async () => {
    const url = await serve(() => undefined);
    const server = servers.pop();
    server?.close();
    if (server !== undefined) await once(server, "close");
    const error = await failure(url);
    expect(error.code).toBe("METRICS_UNREACHABLE");
    expect(error.message).toContain(url);
    expect(error.message).toContain("ECONNREFUSED");
  });

  it.each(["", "metrics", "ftp://127.0.0.1/metrics", "http://user:secret@127.0.0.1/metrics"])(
    "refuses the address %j without repeating secrets",
    async (url) => {
      const error = await failure(url);
      expect(error.code).toBe("METRICS_URL_INVALID");
      expect(error.message).not.toContain("secret");
    },
  );
});
