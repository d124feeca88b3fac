import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";

import { afterEach, describe, expect, it } from "vitest";

import { onpar } from "./fake-env.ts";

const fixture = (name: string) =>
  readFileSync(
    new URL(`../../../packages/metrics-client/test/fixtures/captured/${name}`, import.meta.url),
    "utf8",
  );

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  open.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
}

/** A server with these pages; every other path is not found. */
function withPages(pages: Readonly<Record<string, string | (() => string)>>): RequestListener {
  return (request, response) => {
    const page = pages[request.url ?? ""];
    response.statusCode = page === undefined ? 404 : 200;
    response.end(typeof page === "function" ? page() : (page ?? "not here"));
  };
}

describe("onpar metrics", () => {
  it("tells engine, load, counts, latencies and acceptance of vLLM's page", async () => {
    const url = await serve(
      withPages({ "/metrics": fixture("vllm-after.prom"), "/version": '{"version":"0.32.0"}' }),
    );
    const { code, stdout, stderr } = await onpar(["metrics", url]);
    expect(code, stderr).toBe(0);
    expect(stdout).toContain(`vLLM 0.32.0 at ${url}/metrics\n`);
    expect(stdout).toMatch(/ load +0 running, 0 waiting \(/);
    expect(stdout).toMatch(/ requests +\d+ finished: .*length \d+/);
    expect(stdout).toMatch(
      / TTFT +mean [\d.]+ ms, p50 [\d.]+ ms, p99 [\d.]+ ms \(n \d+, per request, by buckets\)\n/,
    );
    expect(stdout).toMatch(/ draft budget +4 \(/);
    expect(stdout).toMatch(/ acceptance +[\d.]+ % \(A\/D, counters, since start\)\n/);
    expect(stdout).toMatch(/ length +[\d.]+ \(1\+A\/V, counters, since start\) tokens per verify step\n/);
    expect(stdout).toMatch(/ {4}position 3 +#*\.* [\d.]+ %\n/);
  });

  it("gives the same as JSON", async () => {
    const url = await serve(withPages({ "/metrics": fixture("llama-cpp-after.prom") }));
    const { code, stdout } = await onpar(["metrics", `${url}/metrics`, "--json"]);
    expect(code).toBe(0);
    const reading = JSON.parse(stdout) as Readonly<Record<string, unknown>>;
    expect(reading).toMatchObject({
      schema: "onpar.metrics/1",
      urls: [`${url}/metrics`],
      engine: "llama-cpp",
      confidence: "certain",
      acceptance: { missing: null, reading: { rate: { formula: "A/D", source: "counters" } } },
    });
  });

  it("watches: a line per reading with what happened since the one before", async () => {
    const before = fixture("vllm-before.prom");
    const after = fixture("vllm-after.prom");
    let reads = 0;
    const url = await serve(withPages({ "/metrics": () => (reads++ < 3 ? before : after) }));
    const { code, stdout, stderr } = await onpar(["metrics", url, "--watch", "--interval=0.05", "--count=3"]);
    expect(code, stderr).toBe(0);
    const lines = stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(5);
    expect(lines[1]).toMatch(/^ +time +running +waiting/);
    const cells = (lines[4] ?? "").trim().split(/ {2,}/);
    expect(cells.length).toBeGreaterThanOrEqual(9);
    expect(Number(cells[4])).toBeGreaterThan(0);
    expect(cells[6]).toMatch(/^[\d.]+ %$/);
    // All of it happened since the watch began.
    expect(cells[8]).toBe(cells[6]);
  });

  it("keeps watching a server that is gone for a moment, and says so at the end", async () => {
    let reads = 0;
    const page = fixture("vllm-after.prom");
    const url = await serve((request, response) => {
      const isGone = request.url === "/metrics" && reads++ === 1;
      response.statusCode = isGone ? 503 : 200;
      response.end(isGone ? "starting" : page);
    });
    const { code, stdout } = await onpar([
      "metrics",
      url,
      "--watch",
      "--interval=0.05",
      "--count=3",
      "--json",
    ]);
    expect(code).toBe(4);
    const samples = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { error: { code: string } | null; reading: object | null });
    expect(samples.map(({ error }) => error?.code ?? null)).toEqual(["METRICS_HTTP_STATUS", null, null]);
    expect(samples[1]?.reading).not.toBeNull();
  });

  it("prints the page as it is with --raw, and adds the pages of several workers", async () => {
    const page = fixture("vllm-after.prom");
    const url = await serve(withPages({ "/metrics": page, "/two": page }));
    expect((await onpar(["metrics", url, "--raw"])).stdout).toBe(page);
    const requests = async (...flags: string[]) => {
      const { stdout } = await onpar(["metrics", url, "--json", ...flags]);
      const { counts } = JSON.parse(stdout) as { counts: { requestsFinished: { value: number } } };
      return counts.requestsFinished.value;
    };
    const one = await requests();
    expect(await requests(`--page=${url}/metrics`, `--page=${url}/two`)).toBe(2 * one);
  });

  it("sends the key of the variable that is named", async () => {
    const url = await serve((request, response) => {
      const isKnown = request.headers.authorization === "Bearer secret";
      response.statusCode = isKnown ? 200 : 401;
      response.end(isKnown ? fixture("vllm-after.prom") : "");
    });
    const refused = await onpar(["metrics", url]);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toMatch(/^onpar: .*401.*\n$/);
    const allowed = await onpar(["metrics", url, "--api-key-env=METRICS_KEY"], {
      variables: { METRICS_KEY: "secret" },
    });
    expect(allowed.code, allowed.stderr).toBe(0);
  });

  it("says in one line what is wrong, and how this engine's metrics are switched on", async () => {
    const props = JSON.stringify({ build_info: "b9000", default_generation_settings: {} });
    const llama = await serve((request, response) => {
      response.statusCode = request.url === "/props" ? 200 : 501;
      response.end(
        request.url === "/props"
          ? props
          : '{"error":{"message":"This server does not support metrics endpoint."}}',
      );
    });
    const html = await serve((_, response) => response.end("<!doctype html><title>Chat</title>"));
    const elsewhere = await serve(withPages({ "/prometheus/metrics": fixture("vllm-after.prom") }));
    const said = async (...argv: string[]) => {
      const { code, stdout, stderr } = await onpar(["metrics", ...argv]);
      expect(stdout).toBe("");
      expect(stderr).toMatch(/^onpar: [^\n]+\n$/);
      return [code, stderr] as const;
    };
    expect(await said(llama)).toEqual([3, expect.stringMatching(/--metrics/)]);
    expect(await said(html)).toEqual([3, expect.stringMatching(/web page/)]);
    expect(await said(elsewhere)).toEqual([
      3,
      expect.stringMatching(/its metrics are at .*\/prometheus\/metrics/),
    ]);
    expect(await said("not a url")).toEqual([2, expect.stringMatching(/is not a URL/)]);
  });

  it.each([
    [["--count=3"], /--count: counts the readings of --watch/],
    [["--raw", "--watch"], /--raw: prints one page as it is/],
    [["--interval=0"], /--interval 0: give a number from 0.05/],
    [["--watch", "--count=1.5"], /--count 1\.5: give a whole number/],
    [["--engine=other"], /'other' is invalid/],
    [[], /missing required argument 'URL'/],
  ])("refuses %j", async (flags, message) => {
    const argv = flags.length === 0 ? ["metrics"] : ["metrics", "http://127.0.0.1:9", ...flags];
    const { code, stderr } = await onpar(argv);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });
});
