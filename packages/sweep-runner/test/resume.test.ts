import { readFile, truncate } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readRecords } from "../src/records/read-records.ts";
import { config } from "./support/config.ts";
import { codes, run, runError, withFolder } from "./support/run.ts";
import { serversOfEachTest } from "./support/servers.ts";

const { benchServer } = serversOfEachTest();

it("a run that was killed goes on without repeating or losing a request", async () => {
  const server = await benchServer();
  await withFolder(async (folder) => {
    const output = join(folder, "records.jsonl");
    const repetition = { reps: 2 };
    const settings = config(server.url, { numPrompts: 20, repetition, warmupRequests: 1, output });
    await run(settings);
    // Records are appended as requests end: a kill leaves a file that ends somewhere, also in the middle of a line.
    const whole = await readFile(output);
    await truncate(output, Math.floor(whole.length * 0.7));
    const [killed] = await readRecords(output);
    const done = killed?.records.filter(({ phase }) => phase === "measure").length ?? 0;
    expect(done).toBeGreaterThan(20);
    expect(done).toBeLessThan(40);
    expect(killed?.end).toBeNull();

    const sentBefore = server.completions.length;
    const result = await run(settings, { resume: true });
    expect(server.completions.length - sentBefore).toBe(40 - done + 1);
    expect(result.summary.counts).toMatchObject({ asked: 40, ok: 40, unsent: 0 });
    expect(codes(result)).toContain("run-resumed");
    expect(codes(result)).not.toContain("foreign-traffic");

    const runs = await readRecords(output);
    expect(runs).toHaveLength(1);
    const ids = runs[0]?.records.map(({ id }) => id) ?? [];
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => id.startsWith("measure")).length).toBe(40);
    expect(runs[0]?.end).toMatchObject({ interrupted: false });

    const again = await runError(run(settings, { resume: true }));
    expect(again).toMatchObject({ code: "RECORDS_INVALID" });
    expect(again.message).toContain("leave out --resume");
  });
});

it("a run goes on under the same settings only, and starts anew where there is no file", async () => {
  const server = await benchServer({ delayMs: 10 });
  await withFolder(async (folder) => {
    const output = join(folder, "records.jsonl");
    const controller = new AbortController();
    const observer = {
      onEvent: (event: { readonly type: string }) => {
        if (event.type === "request-finished") controller.abort();
      },
    };
    const settings = config(server.url, { numPrompts: 4, output });
    await run(settings, { resume: true, observer, signal: controller.signal });
    const other = await runError(run({ ...settings, outputLen: 9 }, { resume: true }));
    expect(other.message).toContain("another value for outputLen");
    const result = await run(settings, { resume: true });
    expect(result.summary.counts).toMatchObject({ ok: 4, aborted: 0, unsent: 0 });
    expect((await readFile(output, "utf8")).match(/"type":"resumed"/g)).toHaveLength(1);
  });
});
