import { spawn } from "node:child_process";
import { Worker } from "node:worker_threads";
import { afterAll, describe, expect, it } from "vitest";
import { testLibraryPath } from "../lib/build.js";
import { addonMissing, openTestLibrary, testModel, TestSession } from "./support.ts";

const model = testModel();
const slow = testModel("load_ms=400");

/** A program that loads the addon, an engine of the model folder given, and goes on with `then`. */
function program(then: string, { path, close = 10_000 }: { path?: string; close?: number } = {}): string {
  return `
    const { loadAddon } = await import(${JSON.stringify(new URL("../lib/index.js", import.meta.url).href)});
    const library = loadAddon().open(${JSON.stringify(testLibraryPath("abi30"))});
    const deltas = [];
    const engine = library.load(
      { model_path: ${JSON.stringify(path ?? model.path)} },
      (text, requests, lengths, times, endings, notices) => {
        deltas.push(...requests);
        for (const { kind } of notices) if (kind === "loaded") loaded();
        heard({ deltas, endings, notices });
      },
      ${close},
    );
    var heard = () => {};
    const inFlight = () => {
      for (let id = 0; id < 20; id++) engine.submit(id, "@{us=500 tokens=100000} " + id, {});
      for (let id = 20; id < 30; id++) engine.submit(id, "@{stall=1} " + id, {});
      engine.chat(30, '{"messages":"@{us=500 tokens=100000}"}');
      engine.complete(31, new Int32Array([1, 2, 3]), { maxTokens: 20 });
    };
    function loaded() { ${then} }
  `;
}

async function run(
  source: string,
  ...flags: string[]
): Promise<{ code: number | null; signal: string | null; output: string }> {
  const child = spawn(process.execPath, [...flags, "--input-type=module", "-e", source], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => (output += text));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal, output }));
  });
}

describe.skipIf(addonMissing !== null)(`the end of a thread or process${addonMissing ?? ""}`, () => {
  afterAll(() => {
    model.remove();
    slow.remove();
  });

  it.each([
    [
      "with requests in flight",
      program("inFlight(); heard = ({ deltas }) => { if (deltas.length > 50) process.exit(7); };"),
    ],
    ["at once after asking", program("inFlight(); process.exit(7);")],
    ["while a model is being loaded", `${program("", { path: slow.path })}; process.exit(7);`],
    ["while an engine is being closed", program("inFlight(); engine.close(); process.exit(7);")],
    [
      "by an error that nobody catches",
      program("inFlight(); process.on('uncaughtException', () => process.exit(7)); throw new Error('x');"),
    ],
  ])("is clean %s", async (_when, source) => {
    expect(await run(source)).toEqual({ code: 7, signal: null, output: "" });
  });

  it("does not wait for a library that does not end", async () => {
    const source = program(
      'engine.submit(1, "@{hold=60000} x", {}); heard = ({ deltas }) => { if (deltas.length > 3) process.exit(7); };',
      {
        close: 100,
      },
    );
    expect(await run(source)).toEqual({ code: 7, signal: null, output: "" });
  });

  it("is not put off by an engine without requests", async () => {
    expect(await run(program("console.log('idle')"))).toEqual({ code: 0, signal: null, output: "idle\n" });
  });

  it("waits for requests in flight", async () => {
    const source = program(
      'engine.submit(1, "@{us=1000 tokens=100} x", {}); heard = ({ endings }) => { if (endings.length > 0) console.log("ended"); };',
    );
    expect(await run(source)).toEqual({ code: 0, signal: null, output: "ended\n" });
  });

  it("is clean when engines were dropped and collected", async () => {
    const source = `
      const { loadAddon } = await import(${JSON.stringify(new URL("../lib/index.js", import.meta.url).href)});
      const library = loadAddon().open(${JSON.stringify(testLibraryPath("abi30"))});
      let closed = 0;
      for (let i = 0; i < 20; i++) {
        library.load({ model_path: ${JSON.stringify(model.path)} }, (text, requests, lengths, times, endings, notices) => {
          for (const { kind } of notices) if (kind === "closed") closed++;
        });
      }
      while (closed < 20) {
        globalThis.gc();
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      console.log(closed);
    `;
    expect(await run(source, "--expose-gc")).toEqual({ code: 0, signal: null, output: "20\n" });
  });

  it("ends a worker in the middle of its requests, and leaves the others alone", async () => {
    const session = await TestSession.loaded(openTestLibrary("abi30"), { model_path: model.path });
    const own = session.ask((id) => session.engine.submit(id, "@{us=2000 tokens=150} x", {}));
    for (let round = 0; round < 5; round++) {
      const source = program(
        `inFlight(); heard = ({ deltas }) => { if (deltas.length > 20) parentPort.postMessage("busy"); };`,
      ).replace("const library", "const { parentPort } = await import('node:worker_threads'); const library");
      const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`));
      await new Promise((resolve, reject) => {
        worker.once("message", resolve);
        worker.once("error", reject);
      });
      expect(await worker.terminate()).toBe(1);
    }
    expect((await own).ending).toMatchObject({ status: 0, cancelled: false });
    await session.close();
  });
});
