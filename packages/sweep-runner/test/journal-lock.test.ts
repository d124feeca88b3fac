import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { takeLock } from "../src/records/journal-lock.ts";
import { runError, withFolder } from "./support/run.ts";

it.skipIf(process.platform !== "linux")(
  "a killed process that nobody has waited for holds no file",
  async () => {
    await withFolder(async (folder) => {
      const path = join(folder, "records.jsonl");
      // The shell becomes a program that waits for nobody: its child stays behind as a zombie when it ends, which is after that.
      const parent = spawn("sh", ["-c", "sleep 1 & echo $!; exec sleep 30"], {
        stdio: ["ignore", "pipe", "ignore"],
      });
      try {
        const [line] = (await once(parent.stdout, "data")) as [Buffer];
        const pid = Number(line.toString());
        const stateOf = () =>
          readFileSync(`/proc/${pid}/stat`, "utf8")
            .replace(/^[^]*\) /, "")
            .charAt(0);
        while (stateOf() !== "Z") await sleep(10);
        await writeFile(`${path}.lock`, JSON.stringify({ host: hostname(), pid }));
        await takeLock(`${path}.lock`, path);
        expect(readFileSync(`${path}.lock`, "utf8")).toContain(`"pid":${process.pid}`);
        // Its parent runs, and would hold the file.
        await writeFile(`${path}.lock`, JSON.stringify({ host: hostname(), pid: parent.pid }));
        expect((await runError(takeLock(`${path}.lock`, path))).message).toMatch(
          /another run \(process \d+\) is writing/,
        );
      } finally {
        parent.kill("SIGKILL");
      }
    });
  },
);
