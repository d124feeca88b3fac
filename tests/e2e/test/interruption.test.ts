import type { RunResult } from "@onpar/sweep-runner";
import { afterAll, beforeAll, expect, test } from "vitest";
import { onpar, startServer, type RunningServer } from "../src/processes.ts";
import { measuredRecords, temporaryFolder } from "../src/runs.ts";

const folder = temporaryFolder();
let server: RunningServer;

beforeAll(async () => {
  server = await startServer(["--slots=1"]);
});

afterAll(async () => {
  folder.remove();
  expect(await server.stop()).toBe(0);
});

test("an interrupt keeps and reports what was measured", async () => {
  const records = folder.file("records.jsonl");
  const { code, stdout } = await onpar(
    [
      "run",
      `--base-url=${server.url}`,
      "--num-prompts=500",
      "--input-len=32",
      "--output-len=32",
      `--output=${records}`,
      "--json",
    ],
    {},
    (child) => {
      const poll = setInterval(() => {
        if (measuredRecords(records).length < 3) return;
        clearInterval(poll);
        child.kill("SIGINT");
      }, 20);
    },
  );
  expect(code).toBe(130);
  const result = JSON.parse(stdout) as RunResult;
  const { asked, ok, failed, aborted, unsent } = result.summary.counts;
  expect(result.interrupted).toBe(true);
  expect(asked).toBe(500);
  expect(ok).toBeGreaterThanOrEqual(3);
  expect(unsent).toBeGreaterThan(0);
  expect(ok + failed + aborted + unsent).toBe(asked);
  expect(measuredRecords(records).filter((record) => record.state === "ok")).toHaveLength(ok);
});
