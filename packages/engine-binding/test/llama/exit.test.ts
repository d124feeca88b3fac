import { execFile } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "tsup";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DRAFT, TARGET } from "./pair.ts";

// a plain Node process reads no TypeScript; the build lies where node-llama-cpp is found from
const outDir = fileURLToPath(new URL("../../node_modules/.exit-test", import.meta.url));
const source = (path: string) => fileURLToPath(new URL(`../../src/${path}`, import.meta.url));

beforeAll(() =>
  build({
    entry: { index: source("index.ts"), "llama-thread": source("llama/host/llama-thread.ts") },
    format: ["esm"],
    external: ["node-llama-cpp"],
    outDir,
    config: false,
    silent: true,
  }),
);
afterAll(() => rm(outDir, { recursive: true }));

/** Runs a script that has `loadLlamaEngine`, `modelPath` and `draftModelPath`. */
async function runScript(
  name: string,
  text: string,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const script = join(outDir, `${name}.mjs`);
  const head = `import { loadLlamaEngine } from "./index.js";
    const [modelPath, draftModelPath] = process.argv.slice(2);
    const request = { prompt: [5, 6, 7], ignoreEos: true };`;
  await writeFile(script, `${head}\n${text}`);
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [script, TARGET, DRAFT], (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}

/** Four long requests in two slots; `onFirst` runs when the first batch is there. */
const busy = (onFirst: string) => `
  const engine = await loadLlamaEngine({ modelPath, draftModelPath, slots: 2, contextSize: 1024 });
  const first = () => { ${onFirst} };
  for (let i = 0; i < 4; i++) {
    void (async () => {
      for await (const batch of engine.generate({ ...request, maxTokens: 900 })) if (i === 0) first();
    })();
  }`;

describe("a process that used an engine", () => {
  it("ends by itself after dispose, and llama.cpp prints nothing", async () => {
    const ended = await runScript(
      "use",
      `const engine = await loadLlamaEngine({ modelPath, draftModelPath, contextSize: 256 });
      let tokens = 0;
      for await (const batch of engine.generate({ ...request, maxTokens: 9 })) tokens += batch.tokenIds.length;
      await engine.dispose();
      console.log(tokens);`,
    );
    expect(ended).toEqual({ code: 0, stdout: "9\n", stderr: "" });
  });

  it("ends by itself without dispose", async () => {
    const ended = await runScript("idle", "await loadLlamaEngine({ modelPath, contextSize: 256 });");
    expect(ended).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  it("exits with its own code while requests are in flight", async () => {
    // what is in flight decides: it has to hold each time
    for (const attempt of ["first", "second", "third"]) {
      const ended = await runScript(attempt, busy("process.exit(7)"));
      expect(ended).toEqual({ code: 7, stdout: "", stderr: "" });
    }
  });

  it("ends as an uncaught error ends a process", async () => {
    const { code, stderr } = await runScript(
      "throw",
      busy('setImmediate(() => { throw new Error("a fault of the caller"); })'),
    );
    expect(code).toBe(1);
    expect(stderr).toContain("Error: a fault of the caller");
  });

  it("exits while a model is loading", async () => {
    const ended = await runScript(
      "loading",
      "void loadLlamaEngine({ modelPath, contextSize: 1024, onLoadProgress: () => process.exit(7) });",
    );
    expect(ended).toEqual({ code: 7, stdout: "", stderr: "" });
  });
});
