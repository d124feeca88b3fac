import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testLibraryPath, type TestLibraryName } from "../lib/build.js";
import {
  addonPath,
  loadAddon,
  type Ending,
  type ModelParams,
  type NativeEngine,
  type NativeLibrary,
  type Notice,
} from "../lib/index.js";

/** Why tests over the addon cannot run here; null when they can. */
export const addonMissing: string | null = existsSync(addonPath())
  ? null
  : " (skipped: no C++ compiler, so the addon and its test engine are not built)";

/** A model folder for the test engine. */
export function testModel(...script: string[]): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), "onpar-test-model-"));
  writeFileSync(join(path, "test-engine.txt"), ["test-engine", ...script, ""].join("\n"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export function openTestLibrary(name: TestLibraryName): NativeLibrary {
  return loadAddon().open(testLibraryPath(name));
}

/** What was told of one request. */
export interface Heard {
  readonly pieces: { text: string; atNs: bigint }[];
  ending: Ending | null;
}

/** An engine with its events sorted and its moments as promises. */
export class TestSession {
  readonly engine: NativeEngine;
  readonly heard = new Map<number, Heard>();
  readonly notices: Notice[] = [];
  #waiters: { holds: () => boolean; resolve: () => void }[] = [];
  #lastId = 0;

  constructor(library: NativeLibrary, params: ModelParams, closeLimitMs?: number) {
    this.engine = library.load(
      params,
      (text, requests, lengths, times, endings, notices) => {
        let from = 0;
        for (const [index, request] of requests.entries()) {
          const to = from + (lengths[index] ?? 0);
          this.of(request).pieces.push({ text: text.slice(from, to), atNs: times[index] ?? 0n });
          from = to;
        }
        for (const ending of endings) this.of(ending.request).ending = ending;
        this.notices.push(...notices);
        this.#waiters = this.#waiters.filter(({ holds, resolve }) => {
          if (!holds()) return true;
          resolve();
          return false;
        });
      },
      closeLimitMs,
    );
  }

  static async loaded(library: NativeLibrary, params: ModelParams): Promise<TestSession> {
    const session = new TestSession(library, params);
    await session.until(() => session.notices.length > 0);
    return session;
  }

  of(request: number): Heard {
    const known = this.heard.get(request) ?? { pieces: [], ending: null };
    this.heard.set(request, known);
    return known;
  }

  until(holds: () => boolean): Promise<void> {
    if (holds()) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push({ holds, resolve }));
  }

  /** Makes a request and waits for its end. */
  async ask(start: (id: number) => void): Promise<{ text: string; pieces: Heard["pieces"]; ending: Ending }> {
    const id = ++this.#lastId;
    start(id);
    const heard = this.of(id);
    await this.until(() => heard.ending !== null);
    if (heard.ending === null) throw new Error("the wait is over when it has ended");
    return {
      text: heard.pieces.map(({ text }) => text).join(""),
      pieces: heard.pieces,
      ending: heard.ending,
    };
  }

  async close(): Promise<void> {
    this.engine.close();
    await this.until(() => this.notices.some(({ kind }) => kind === "closed"));
  }
}
