import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { testLibraryPath } from "../lib/build.js";
import { addonMissing, testModel } from "./support.ts";

const model = testModel();
afterAll(() => model.remove());

describe.skipIf(addonMissing !== null)(`the manual${addonMissing ?? ""}`, () => {
  it("has an example that runs", async () => {
    const manual = readFileSync(new URL("../README.md", import.meta.url), "utf8");
    const example = /```js\n(?<code>.*?)```/su.exec(manual)?.groups?.["code"] ?? "";
    const source = example
      .replace("/opt/vllm/libvllm.so", testLibraryPath("abi30"))
      .replace("/models/qwen3-0.6b", model.path);
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", source], {
      cwd: new URL("..", import.meta.url),
    });
    expect(stdout).toMatch(/^0\.0\.0\+test-engine 30 \[\]\n1 \d+n \S+/u);
    expect(stdout.trim().split("\n").at(-1)).toBe("1 0 null");
  });
});
