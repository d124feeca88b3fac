import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readRecords } from "../src/records/read-records.ts";
import { config } from "./support/config.ts";
import { codes, run, runError, withFolder } from "./support/run.ts";
import { serversOfEachTest } from "./support/servers.ts";

const { benchServer } = serversOfEachTest();

describe("interruption", () => {
  it("keeps what was measured, records what was in flight as aborted and says so", async () => {
    const server = await benchServer({ delayMs: 15 });
    await withFolder(async (folder) => {
      const output = join(folder, "records.jsonl");
      const controller = new AbortController();
      const result = await run(config(server.url, { numPrompts: 10, concurrency: 2, output }), {
        signal: controller.signal,
        observer: {
          onEvent: (event) => {
            // The next two are on their way then.
            if (event.type === "request-finished" && event.done === 3)
              setTimeout(() => controller.abort(), 5);
          },
        },
      });
      const { counts } = result.summary;
      expect(result.interrupted).toBe(true);
      expect(counts.ok).toBeGreaterThanOrEqual(3);
      expect(counts.aborted).toBeGreaterThanOrEqual(1);
      expect(counts.ok + counts.failed + counts.aborted + counts.unsent).toBe(10);
      expect(counts.failed).toBe(0);

      const [kept] = await readRecords(output);
      expect(kept?.records).toHaveLength(counts.ok + counts.aborted);
      expect(kept?.end).toMatchObject({ interrupted: true });
      expect(kept?.header).toMatchObject({ asked: 10, config: { numPrompts: 10 } });
      expect(server.inFlight).toBe(0);
    });
  });

  it("before anything was sent is an error of its own", async () => {
    const controller = new AbortController();
    controller.abort();
    expect(await runError(run(config("http://127.0.0.1:9"), { signal: controller.signal }))).toMatchObject({
      code: "INTERRUPTED",
    });
  });
});

describe("a server that dies in the middle", () => {
  it("leaves the records of what it answered, failures for the rest, and a reason for the missing acceptance", async () => {
    const server = await benchServer({ delayMs: 5, acceptedPerStep: 1 });
    let closing: Promise<void> | undefined;
    const result = await run(config(server.url, { numPrompts: 8, warmupRequests: 1 }), {
      observer: {
        onEvent: (event) => {
          if (event.type === "request-finished" && event.record.id === "measure-2") closing = server.close();
        },
      },
    });
    await closing;
    expect(result.summary.counts).toMatchObject({ asked: 8, ok: 3, failed: 5, aborted: 0, unsent: 0 });
    expect(result.summary.errors).toEqual({ transport: 5 });
    expect(result.summary.latency.ttftMs?.n).toBe(3);
    expect(result.summary.acceptance).toBeNull();
    expect(result.summary.acceptanceMissing).toMatch(/cannot read .*\/metrics/);
    expect(result.interrupted).toBe(false);
    expect(codes(result)).toContain("requests-failed");
  });
});
