import type { RunResult } from "@onpar/sweep-runner";
import { afterAll, beforeAll, expect, test } from "vitest";
import { onpar, onparOnSmallDisk, startServer, type RunningServer } from "../src/processes.ts";
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

test("a disk that fills up takes the records from there on, and not the report", async () => {
  const records = folder.file("cut-off.jsonl");
  const flags = ["run", `--base-url=${server.url}`, "--num-prompts=500", "--input-len=32", "--output-len=32"];
  const { code, stdout } = await onparOnSmallDisk([...flags, "--json", `--output=${records}`], 16);
  expect(code).toBe(5);
  const { summary, findings } = JSON.parse(stdout) as RunResult;
  expect(findings).toContainEqual(expect.objectContaining({ severity: "breach", code: "records-lost" }));
  expect(summary.counts.ok).toBeGreaterThan(0);
  expect(summary.counts.unsent).toBeGreaterThan(0);
  expect(measuredRecords(records).length).toBeGreaterThan(0);
});
