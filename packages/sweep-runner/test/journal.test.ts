import { appendFile, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hostFacts } from "../src/records/host-facts.ts";
import { openJournal, type Journal } from "../src/records/journal.ts";
import { RECORDS_SCHEMA } from "../src/records/journal-format.ts";
import { readRecords } from "../src/records/read-records.ts";
import { config } from "./support/config.ts";
import { record } from "./support/records.ts";
import { runError, withFolder } from "./support/run.ts";

const header = {
  schema: RECORDS_SCHEMA,
  startedAt: "2026-01-01T00:00:00.000Z",
  tool: { name: "onpar", version: "0" },
  config: config("http://127.0.0.1:1"),
  host: hostFacts(),
  asked: 2,
} as const;

async function writeRun(path: string, ids: readonly string[]): Promise<void> {
  const journal = await openJournal(path, () => {});
  await journal.begin(header);
  for (const id of ids) journal.append(record({ id }));
  await journal.finish(false);
  await journal.release();
}

const inFile = <T>(use: (path: string) => Promise<T>): Promise<T> =>
  withFolder((folder) => use(join(folder, "r.jsonl")));

describe("a records file", () => {
  it("gives back what was written, several runs one after the other, and leaves nothing else behind", async () => {
    await inFile(async (path) => {
      await writeRun(path, ["a", "b"]);
      const first = await readFile(path, "utf8");
      await writeRun(path, ["c"]);
      expect((await readFile(path, "utf8")).startsWith(first)).toBe(true);

      const runs = await readRecords(path);
      expect(runs.map(({ records }) => records.map(({ id }) => id))).toEqual([["a", "b"], ["c"]]);
      expect(runs.map(({ end }) => end?.records)).toEqual([2, 1]);
      expect(new Set(runs.map(({ header: { runId } }) => runId)).size).toBe(2);
      expect(runs[0]?.records[0]).toEqual(record({ id: "a" }));
      await expect(stat(`${path}.lock`)).rejects.toThrow("ENOENT");
    });
  });

  it("is made with the folders on its way", async () => {
    await withFolder(async (folder) => {
      const path = join(folder, "new", "deep", "r.jsonl");
      await writeRun(path, ["a"]);
      expect(await readRecords(path)).toHaveLength(1);
    });
  });

  it("has every line of a run that was killed but the one that was cut off", async () => {
    await inFile(async (path) => {
      await writeRun(path, ["a", "b"]);
      const text = await readFile(path, "utf8");
      const third = text.split("\n").slice(0, 3).join("\n");
      for (const cut of [1, 10, 100]) {
        await writeFile(path, third.slice(0, third.length - cut));
        expect(await readRecords(path)).toMatchObject([{ records: [{ id: "a" }], torn: true, end: null }]);
      }
      // The next run begins on a line of its own.
      await writeRun(path, ["c"]);
      expect(await readRecords(path)).toMatchObject([
        { records: [{ id: "a" }], torn: true, end: null },
        { records: [{ id: "c" }], torn: false, end: { interrupted: false } },
      ]);
    });
  });

  it("that is broken elsewhere is refused, naming the line", async () => {
    await inFile(async (path) => {
      await writeRun(path, ["a", "b"]);
      const [head = "", first = "", ...rest] = (await readFile(path, "utf8")).split("\n");
      const refused = async (lines: readonly string[]): Promise<string> => {
        await writeFile(path, lines.join("\n"));
        const error = await runError(readRecords(path));
        expect(error.code).toBe("RECORDS_INVALID");
        return error.message;
      };
      expect(await refused([head, first.slice(0, 30), ...rest])).toMatch(/r\.jsonl:2: not JSON/);
      expect(await refused([head, first.replace('"state":"ok"', '"state":"fine"'), ...rest])).toMatch(
        /:2: not a record: state/,
      );
      expect(await refused([first, ...rest])).toMatch(/:1: records must begin with a header/);
      expect(await runError(readRecords(`${path}.none`))).toMatchObject({ code: "RECORDS_INVALID" });
    });
  });
});

describe("two runs", () => {
  it("never share a file at the same time", async () => {
    await inFile(async (path) => {
      const first = await openJournal(path, () => {});
      const error = await runError(openJournal(path, () => {}));
      expect(error.code).toBe("OUTPUT_UNWRITABLE");
      expect(error.message).toMatch(new RegExp(`process ${process.pid}.*choose another place`));
      await first.release();
      await (await openJournal(path, () => {})).release();
    });
  });

  it("of which one was killed do not block each other, but a marker of another machine does", async () => {
    await inFile(async (path) => {
      await writeFile(`${path}.lock`, JSON.stringify({ host: hostname(), pid: 2 ** 22 + 1 }));
      await writeRun(path, ["a"]);
      await writeFile(`${path}.lock`, JSON.stringify({ host: "elsewhere.invalid", pid: 1 }));
      expect((await runError(openJournal(path, () => {}))).message).toMatch(
        /process 1 on elsewhere\.invalid.*\.lock/,
      );
    });
  });
});

describe("a place that cannot be written", () => {
  it("is an error that names it, before anything is measured", async () => {
    await withFolder(async (folder) => {
      await writeFile(join(folder, "file"), "");
      const error = await runError(openJournal(join(folder, "file", "r.jsonl"), () => {}));
      expect(error).toMatchObject({ code: "OUTPUT_UNWRITABLE" });
      expect(error.message).toMatch(/cannot write the records to .*r\.jsonl: E/);
      await mkdir(join(folder, "r.jsonl"));
      const journal: Journal = await openJournal(join(folder, "r.jsonl"), () => {});
      expect(await runError(journal.begin(header))).toMatchObject({ code: "OUTPUT_UNWRITABLE" });
      await journal.release();
    });
  });

  it("tells the run when the disk is full in the middle", async () => {
    // Linux offers a device that is always full; a symlink to it stands for the disk.
    await withFolder(async (folder) => {
      const { existsSync } = await import("node:fs");
      if (!existsSync("/dev/full")) return;
      const { symlink } = await import("node:fs/promises");
      const path = join(folder, "r.jsonl");
      await symlink("/dev/full", path);
      let failures = 0;
      const journal = await openJournal(path, () => failures++);
      const error = await runError(journal.begin(header));
      expect(error.message).toMatch(/ENOSPC/);
      expect(failures).toBe(1);
      await journal.release();
    });
  });
});

it("text after the last line of a run is kept apart", async () => {
  await inFile(async (path) => {
    await writeRun(path, ["a"]);
    await appendFile(path, "\n\n");
    expect(await readRecords(path)).toHaveLength(1);
  });
});
