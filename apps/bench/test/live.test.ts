import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import type { LiveView } from "@onpar/bench-report";
import type { RunResult } from "@onpar/sweep-runner";
import { afterEach, describe, expect, it } from "vitest";

import { run } from "../src/run.ts";
import { fakeEnv, onpar, type FakeEnv } from "./fake-env.ts";
import { startModelServer, type ModelServer, type ModelServerOptions } from "./model-server.ts";

const servers: ModelServer[] = [];
const folder = mkdtempSync(path.join(tmpdir(), "onpar-live-"));

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
  rmSync(folder, { recursive: true, force: true });
});

async function serve(options: ModelServerOptions): Promise<ModelServer> {
  const server = await startModelServer(options);
  servers.push(server);
  return server;
}

async function liveUrl(env: FakeEnv): Promise<string> {
  for (;;) {
    const url = /^Live page: (\S+)$/m.exec(env.written.stderr)?.[1];
    if (url !== undefined) return url;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Everything that a page is told until the run is over. */
async function watched(url: string): Promise<LiveView[]> {
  const text = await (await fetch(`${url}events`)).text();
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? "") as LiveView);
}

function flags(url: string, ...more: readonly string[]): string[] {
  return ["run", `--base-url=${url}`, "--input-len=8", "--output-len=12", "--live", ...more];
}

describe("onpar run --live", () => {
  it("shows the run to its end, and leaves the result as it is", async () => {
    const server = await serve({ delayMs: 4, obeysIgnoreEos: false });
    const env = fakeEnv();
    const file = path.join(folder, "result.json");
    const running = run(flags(server.url, "--num-prompts=30", `--output-json=${file}`, "--json"), env);
    const url = await liveUrl(env);
    expect(await (await fetch(url)).text()).toContain("<title>");
    const views = await watched(url);
    expect(await running).toBe(5);
    const { summary, findings } = JSON.parse(env.written.stdout) as RunResult;
    expect(summary.counts).toMatchObject({ asked: 30, ok: 30 });
    const last = views.at(-1);
    expect(views.slice(0, -1).every(({ isOver }) => !isOver)).toBe(true);
    expect(last).toMatchObject({ isOver: true, share: 1 });
    expect(last?.texts["counts"]).toBe("30 ok, 0 failed, 0 dropped, 0 aborted");
    expect(last?.texts["ttftMs-n"]).toBe("30");
    expect(last?.texts["phase"]).toContain("eos-not-ignored");
    expect(last?.lists["files"]).toContain(`--output-json: ${file}`);
    expect(last?.lists["findings"]).toHaveLength(findings.length);
    await expect(fetch(url)).rejects.toThrow("fetch failed");
  });

  it("says that nothing could be measured", async () => {
    const server = await serve({});
    const env = fakeEnv();
    const running = run(flags(server.url, "--num-prompts=2", "--model=another"), env);
    const url = await liveUrl(env);
    const views = watched(url);
    expect(await running).toBe(3);
    expect((await views).at(-1)?.texts["phase"]).toContain("nothing could be measured");
  });

  it("refuses what is no port", async () => {
    for (const port of ["http", "-1", "65536", "1.5"]) {
      const { code, stderr } = await onpar(["run", `--live=${port}`, "--demo"]);
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: `onpar: --live ${port}: give a port from 0 to 65535, or none\n`,
      });
    }
  });
});
