import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { afterAll, describe, expect, it } from "vitest";

import { onpar } from "./fake-env.ts";

const folder = mkdtempSync(path.join(tmpdir(), "onpar-bench-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("--output-json", () => {
  it("is refused before anything is sent where the file is there already", async () => {
    const file = path.join(folder, "result.json");
    writeFileSync(file, "earlier");
    // Nothing listens there: a run that got as far as sending would say so.
    const { code, stderr } = await onpar(["run", "--base-url=http://127.0.0.1:9", `--output-json=${file}`]);
    expect(code).toBe(2);
    expect(stderr).toBe(
      `onpar: --output-json ${file}: is there already; choose another file or add --overwrite\n`,
    );
    expect(readFileSync(file, "utf8")).toBe("earlier");
  });

  it("is refused where the folder is not there", async () => {
    const file = path.join(folder, "missing", "result.json");
    const { code, stderr } = await onpar(["run", "--base-url=http://127.0.0.1:9", `--output-json=${file}`]);
    expect(code).toBe(2);
    expect(stderr).toContain("(ENOENT)");
  });
});
