import { linkSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { benchConfigSchema } from "@onpar/bench-config";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { checkDistinctFiles } from "../src/distinct-files.ts";
import { onpar } from "./fake-env.ts";
import { startModelServer, type ModelServer } from "./model-server.ts";

const folder = mkdtempSync(path.join(tmpdir(), "onpar-bench-"));
const inFolder = (name: string) => path.join(folder, name);
const prompts = '{"prompt": "one"}\n';
let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
  writeFileSync(inFolder("d.jsonl"), prompts);
  writeFileSync(inFolder("t.jinja"), "{{ messages[0].content }}");
  symlinkSync(inFolder("d.jsonl"), inFolder("link.jsonl"));
  linkSync(inFolder("d.jsonl"), inFolder("hard.jsonl"));
  symlinkSync(folder, inFolder("sub"));
  symlinkSync(inFolder("later.json"), inFolder("dangling.json"));
});

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Names of the flags, and files in the folder. */
const cases: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "the same new file, spelled differently": { output: "x", "output-json": "./sub/../x" },
  "the same new file through a linked folder": { output: "x", "output-json": "sub/x" },
  "a link to a file that is not there yet": { output: "later.json", "output-json": "dangling.json" },
  "the dataset as the result": { "dataset-path": "d.jsonl", "output-json": "d.jsonl" },
  "the dataset as the records": { "dataset-path": "d.jsonl", output: "d.jsonl" },
  "a link to the dataset": { "dataset-path": "d.jsonl", "output-json": "link.jsonl" },
  "a second name of the dataset": { "dataset-path": "d.jsonl", output: "hard.jsonl" },
  "the template as the records": { "chat-template": "t.jinja", output: "t.jinja" },
};

describe("files of a run", () => {
  it.each(Object.entries(cases))("are told apart: %s", async (_name, files) => {
    const flags = Object.entries(files).map(([flag, name]) => `--${flag}=${folder}/${name}`);
    const argv = ["run", `--base-url=${server.url}`, "--num-prompts=1", ...flags];
    if ("chat-template" in files) argv.push("--no-skip-chat-template");
    if ("output-json" in files) argv.push("--overwrite");
    const { code, stdout, stderr } = await onpar(argv);
    expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^onpar: [^\n]+ are the same file; [^\n]+\n$/);
    for (const flag of Object.keys(files)) expect(stderr).toContain(`--${flag} `);
    expect(server.requests).toEqual([]);
    expect(readFileSync(inFolder("d.jsonl"), "utf8")).toBe(prompts);
  });

  it("may be the null device, twice", () => {
    const config = benchConfigSchema.parse({ output: "/dev/null", outputJson: "/dev/../dev/null" });
    expect(() => checkDistinctFiles(config)).not.toThrow();
  });
});
