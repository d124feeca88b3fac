import { once } from "node:events";
import { createServer as createRawServer } from "node:net";
import { createServer, type RequestListener, type Server } from "node:http";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { MetricsError, scrapeMetrics, type ScrapeOptions } from "../src/index.ts";
import { fixture } from "./pages.ts";

const opened: { close(): unknown; closeAllConnections?(): void }[] = [];

async function serve(listener: RequestListener, host = "127.0.0.1"): Promise<string> {
  const server: Server = createServer(listener);
  opened.push(server);
  server.listen(0, host);
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return `http://${host}:${address.port}/metrics`;
}

function compressed(body: Buffer, encoding: string): RequestListener {
  return (_, response) => response.writeHead(200, { "content-encoding": encoding }).end(body);
}

async function failure(url: string, options?: ScrapeOptions): Promise<MetricsError> {
  const outcome: unknown = await scrapeMetrics(url, options).catch((error: unknown) => error);
  if (!(outcome instanceof MetricsError)) throw new Error(`no MetricsError but ${String(outcome)}`);
  expect(outcome.message).not.toMatch(/[\r\n]/);
  return outcome;
}

afterEach(() => {
  for (const server of opened.splice(0)) {
    server.closeAllConnections?.();
    server.close();
  }
});

describe("redirects", () => {
  it("take no header of the caller to another host, whatever its name", async () => {
    let seen: Record<string, unknown> = {};
    const other = await serve((request, response) => {
      seen = request.headers;
      response.end("up 1\n");
    }, "localhost");
    const url = await serve((_, response) => response.writeHead(302, { location: other }).end());
    const headers = { "x-api-key": "secret", authorization: "Bearer secret", cookie: "a=secret" };
    expect((await scrapeMetrics(url, { headers })).samples).toHaveLength(1);
    expect(JSON.stringify(seen)).not.toContain("secret");
    expect(seen["accept"]).toContain("text/plain");
  });

  it("take them along on the same host", async () => {
    let key: unknown;
    const url = await serve((request, response) => {
      if (request.url === "/metrics") response.writeHead(307, { location: "metrics/" }).end("moved");
      else {
        key = request.headers["x-api-key"];
        response.end("up 1\n");
      }
    });
    const page = await scrapeMetrics(url, { headers: { "x-api-key": "secret" } });
    expect(page).toMatchObject({ url, samples: [{ name: "up" }] });
    expect(key).toBe("secret");
  });

  it("to a host that wants the key say so", async () => {
    const other = await serve((_, response) => response.writeHead(401).end(), "localhost");
    const url = await serve((_, response) => response.writeHead(301, { location: other }).end());
    const error = await failure(url, { headers: { authorization: "Bearer secret" } });
    expect(error).toMatchObject({ code: "METRICS_UNAUTHORISED", status: 401 });
    expect(error.message).toContain(`it leads to ${other}`);
  });

  it("end after some, and lead to nothing but http", async () => {
    const loop = await serve((_, response) => response.writeHead(302, { location: "/metrics" }).end());
    expect((await failure(loop)).message).toContain("redirects more than 5 times");
    const away = await serve((_, response) => response.writeHead(302, { location: "file:///x" }).end());
    expect(await failure(away)).toMatchObject({ code: "METRICS_URL_INVALID" });
    const nowhere = await serve((_, response) => response.writeHead(302).end());
    expect(await failure(nowhere)).toMatchObject({ code: "METRICS_HTTP_STATUS", status: 302 });
  });
});

describe("compressed pages", () => {
  const page = fixture("llama-cpp.prom");
  const zipped = gzipSync(page);

  it("are read as gzip and brotli", async () => {
    const plain = await scrapeMetrics(await serve((_, response) => response.end(page)));
    for (const [body, encoding] of [
      [zipped, "gzip"],
      [brotliCompressSync(page), "br"],
    ] as const) {
      const snapshot = await scrapeMetrics(await serve(compressed(body, encoding)));
      expect(snapshot.samples).toEqual(plain.samples);
    }
  });

  // Without the last eight bytes all of the text is there, but nothing shows that it is.
  it.each([8, 1, 100])("are refused without their last %i bytes", async (missing) => {
    const url = await serve(compressed(zipped.subarray(0, -missing), "gzip"));
    const error = await failure(url);
    expect(error.code).toBe("METRICS_UNREACHABLE");
    expect(error.message).toContain("cut off");
  });

  it("are refused when they grow beyond the limit, or are not what they say", async () => {
    const bomb = await serve(compressed(gzipSync(Buffer.alloc(20_000_000, "a")), "gzip"));
    expect(await failure(bomb, { maxBytes: 1_000_000 })).toMatchObject({ code: "METRICS_TOO_LARGE" });
    const plain = await serve(compressed(Buffer.from("up 1\n"), "gzip"));
    expect((await failure(plain)).message).toContain("not compressed as its header says");
    const unknown = await serve(compressed(Buffer.from("up 1\n"), "zstd"));
    expect(await failure(unknown)).toMatchObject({ code: "METRICS_NOT_EXPOSITION" });
  });
});

describe("what is no metrics server", () => {
  it("speaks no TLS, and the address that would do is told", async () => {
    const url = await serve((_, response) => response.end("up 1\n"));
    const error = await failure(url.replace("http:", "https:"));
    expect(error.message).toContain(`try ${url}`);
  });

  it("speaks no HTTP", async () => {
    const server = createRawServer((socket) => {
      socket.on("error", () => undefined);
      socket.end("SSH-2.0-x\r\n");
    });
    opened.push(server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = address !== null && typeof address === "object" ? address.port : 0;
    expect((await failure(`http://127.0.0.1:${port}/metrics`)).message).toContain("is not HTTP");
  });

  it.each([
    [503, { error: { message: "Loading model", type: "unavailable_error", code: 503 } }, "Loading model"],
    [400, { error: { message: "model name is\n missing" } }, "model name is missing"],
    [422, { detail: "no such model" }, "no such model"],
  ])("its own words are told with status %i", async (status, body, words) => {
    const url = await serve((_, response) => response.writeHead(status).end(JSON.stringify(body)));
    const error = await failure(url);
    expect(error).toMatchObject({ code: "METRICS_HTTP_STATUS", status });
    expect(error.message.endsWith(words)).toBe(true);
  });

  it.each(["127.0.0.1:8000/metrics", "localhost:8000"])("the address %s lacks its scheme", async (url) => {
    const error = await failure(url);
    expect(error.code).toBe("METRICS_URL_INVALID");
    expect(error.message).toContain("http://");
  });
});
