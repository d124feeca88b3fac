import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import type { RunResult } from "@onpar/sweep-runner";
import { afterAll, describe, expect, it } from "vitest";

import { run } from "../src/run.ts";
import { fakeEnv, onpar } from "./fake-env.ts";
import { startModelServer } from "./model-server.ts";

const folder = mkdtempSync(path.join(tmpdir(), "onpar-bench-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const short = ["--num-prompts=1", "--warmup=0", "--input-len=8", "--output-len=4"];

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

  it("leaves nothing behind where nothing was measured", async () => {
    const file = path.join(folder, "nothing.json");
    expect((await onpar(["run", "--base-url=http://127.0.0.1:9", `--output-json=${file}`])).code).toBe(3);
    expect(existsSync(file)).toBe(false);
  });

  it("is one run's from its start: a second run is refused, and the first one's result is written", async () => {
    const server = await startModelServer({ delayMs: 20 });
    const file = path.join(folder, "shared.json");
    const argv = ["run", `--base-url=${server.url}`, ...short, "--quiet", `--output-json=${file}`];
    try {
      const env = fakeEnv();
      const first = run(argv, env);
      while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
      const second = await onpar([...argv, "--seed=2"]);
      expect(second).toMatchObject({ code: 2, stderr: expect.stringContaining("another run may hold it") });
      expect(await first, env.written.stderr).toBe(0);
      expect((JSON.parse(readFileSync(file, "utf8")) as RunResult).config.seed).toBe(0);
    } finally {
      await server.close();
    }
  });

  it("is no way to lose a result: what cannot be written is printed, also with --quiet", async () => {
    const server = await startModelServer({ delayMs: 20 });
    const file = path.join(folder, "taken.json");
    const argv = ["run", `--base-url=${server.url}`, ...short, "--quiet", `--output-json=${file}`];
    try {
      const env = fakeEnv();
      const running = run(argv, env);
      while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
      writeFileSync(file, "of another program");
      expect(await running).toBe(2);
      expect(env.written.stdout).toMatch(/^1 asked: 1 ok/);
      expect(env.written.stderr).toMatch(/^onpar: --output-json .*taken\.json: [^\n]+\n$/);
      expect(readFileSync(file, "utf8")).toBe("of another program");
    } finally {
      await server.close();
    }
  });

  it("replaces what a link points to, and keeps its mode", async () => {
    const server = await startModelServer();
    const [file, link] = [path.join(folder, "private.json"), path.join(folder, "link.json")];
    writeFileSync(file, "earlier");
    chmodSync(file, 0o600);
    symlinkSync(file, link);
    const argv = [
      "run",
      `--base-url=${server.url}`,
      ...short,
      "--quiet",
      "--overwrite",
      `--output-json=${link}`,
    ];
    try {
      expect((await onpar(argv)).code).toBe(0);
    } finally {
      await server.close();
    }
    expect((JSON.parse(readFileSync(file, "utf8")) as RunResult).schema).toBe("onpar.run/2");
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});
