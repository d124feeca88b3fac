import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BenchConfigInput } from "@onpar/bench-config";
import { describe, expect, it } from "vitest";
import { readRecords } from "../src/records/read-records.ts";
import { countTokens } from "./support/bench-server.ts";
import { config } from "./support/config.ts";
import { codes, run, runError, withFolder } from "./support/run.ts";
import { bodyOf, serversOfEachTest } from "./support/servers.ts";

const { benchServer } = serversOfEachTest();

const MS = 1e6;

async function withTrace<T>(
  rows: readonly unknown[],
  use: (settings: BenchConfigInput, output: string) => Promise<T>,
): Promise<T> {
  return withFolder(async (folder) => {
    const datasetPath = join(folder, "trace.jsonl");
    await writeFile(datasetPath, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    const output = join(folder, "records.jsonl");
    const dataset = { kind: "trace" as const, traceBlockTokens: 10 };
    return use({ datasetPath, dataset, output, numPrompts: rows.length }, output);
  });
}

const rows = [
  { timestamp: 1000, input_length: 25, output_length: 3, hash_ids: [7, 8, 9] },
  { timestamp: 1300, input_length: 37, output_length: 5, hash_ids: [7, 8, 3, 4] },
  // Not in order, as in files that several hosts wrote.
  { timestamp: 1200, input_length: 12, output_length: 2, hash_ids: [1, 2] },
  { timestamp: 1300, input_length: 25, output_length: 1, hash_ids: [7, 8, 9] },
];

describe("a trace", () => {
  it("is sent at its times, each request with its length and its cap", async () => {
    const server = await benchServer();
    await withTrace(rows, async (settings, output) => {
      const result = await run(config(server.url, { ...settings, load: { kind: "trace", traceSpeed: 2 } }));
      const bodies = server.completions.map(bodyOf);
      expect(bodies.map(({ prompt }) => countTokens(String(prompt)))).toEqual([25, 12, 37, 25]);
      expect(bodies.map((body) => body["max_tokens"])).toEqual([3, 2, 5, 1]);
      expect(bodies.every((body) => body["ignore_eos"] === true)).toBe(true);
      const [journal] = await readRecords(output);
      const records = (journal?.records ?? []).filter(({ phase }) => phase === "measure");
      const byId = new Map(records.map((record) => [record.id, record]));
      const dues = ["0", "1", "2", "3"].map((n) => byId.get(`measure-${n}`)?.scheduledNs ?? NaN);
      expect(dues.map((due) => (due - (dues[0] ?? NaN)) / MS)).toEqual([0, 100, 150, 150]);
      expect(records.map(({ plannedOutputTokens }) => plannedOutputTokens)).toEqual([3, 2, 5, 1]);
      expect(result.summary.counts).toMatchObject({ asked: 4, ok: 4 });
      expect(result.summary.outputs.reachedCap).toBe(4);
      expect(codes(result).filter((code) => /eos|cap|length/.test(code))).toEqual(["own-caps"]);
    });
  });

  it("shares the prefixes that its hash ids share, and no others", async () => {
    const server = await benchServer();
    await withTrace(rows, async (settings) => {
      await run(config(server.url, { ...settings, load: { kind: "trace", traceSpeed: 1000 } }));
      const [first = "", other = "", longer = "", again = ""] = server.completions.map((request) =>
        String(bodyOf(request)["prompt"]),
      );
      expect(again).toBe(first);
      const common = (a: string, b: string): number => {
        let at = 0;
        while (at < a.length && a[at] === b[at]) at++;
        return countTokens(a.slice(0, at));
      };
      expect(common(first, longer)).toBeGreaterThanOrEqual(20);
      expect(common(first, longer)).toBeLessThan(24);
      expect(common(first, other)).toBeLessThan(2);
    });
  });

  it("is a workload of any other load too, and takes prompts of its own rows", async () => {
    const server = await benchServer();
    const own = [{ timestamp: 5, prompt: "one two three", output_length: 2 }, { input_tokens: 9 }];
    await withTrace(own, async (settings) => {
      const result = await run(config(server.url, { ...settings, outputLen: 4 }));
      const bodies = server.completions.map(bodyOf);
      expect(bodies[0]).toMatchObject({ prompt: "one two three", max_tokens: 2 });
      expect(bodies[1]).toMatchObject({ max_tokens: 4 });
      expect(countTokens(String(bodies[1]?.["prompt"]))).toBe(9);
      expect(result.summary.outputs.reachedCap).toBe(2);
    });
  });

  it("drops what could not be served in its time, and says so", async () => {
    const server = await benchServer({ delayMs: 150 });
    const burst = Array.from({ length: 6 }, (_, index) => ({
      timestamp: index,
      input_length: 5,
      output_length: 1,
    }));
    await withTrace(burst, async (settings) => {
      const load = { kind: "trace" as const, maxInFlight: 1 };
      const result = await run(config(server.url, { ...settings, load, requestTimeoutMs: 400 }));
      const { asked, ok, dropped, failed } = result.summary.counts;
      expect(asked).toBe(6);
      expect(ok + dropped).toBe(6);
      expect(failed).toBe(0);
      expect(dropped).toBeGreaterThan(0);
      expect(server.completions).toHaveLength(ok);
      expect(codes(result)).toContain("requests-dropped");
    });
  });

  it.each<[string, unknown[], RegExp]>([
    ["a row without a time", [{ input_length: 5 }], /row 1 has no "timestamp"/],
    [
      "a time in words",
      [{ timestamp: "noon", input_length: 5 }],
      /trace\.jsonl:1: "timestamp" must be a number/,
    ],
    ["no length", [{ timestamp: 1 }], /trace\.jsonl:1: .*needs "input_length"/],
    ["a length of nothing", [{ timestamp: 1, input_length: 0 }], /needs "input_length"/],
    ["a length out of all proportion", [{ timestamp: 1, input_length: 1e12 }], /"input_length" must be/],
    ["ids that are none", [{ timestamp: 1, input_length: 5, hash_ids: ["x"] }], /"hash_ids" must be a list/],
    ["too few rows", [], /holds no prompts/],
  ])("is refused with its place: %s", async (_, broken, message) => {
    const server = await benchServer();
    await withTrace(broken, async (settings) => {
      const error = await runError(
        run(config(server.url, { ...settings, numPrompts: 1, load: { kind: "trace" } })),
      );
      expect(error.code).toBe("DATASET_INVALID");
      expect(error.message).toMatch(message);
    });
  });
});
