import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadVllmEngine, type Engine, type VllmEngineOptions } from "../../src/index.ts";

/** Libraries that stand in for libvllm, by the names under which native/lib/build.js builds them. */
export type TestLibrary =
  | "abi5"
  | "abi12"
  | "abi25"
  | "abi30"
  | "tooOld"
  | "newer"
  | "withoutSubmit"
  | "foreign";

export function testLibrary(name: TestLibrary): string {
  const folder = `${name}-${process.platform}-${process.arch}`;
  return fileURLToPath(new URL(`../../../../native/build/${folder}/libvllm.so`, import.meta.url));
}

/** Why tests over the addon cannot run here; null when they can. */
export const addonMissing: string | null = existsSync(testLibrary("abi30"))
  ? null
  : "no C++ compiler: the addon over libvllm and its test engine are not built";

/** A model folder for the test engine. */
export class TestModel {
  readonly path = mkdtempSync(join(tmpdir(), "onpar-test-model-"));

  /** @param script lines of test-engine.txt, for example `step_us=500` */
  constructor(script: readonly string[] = []) {
    this.write("test-engine.txt", ["test-engine", ...script, ""].join("\n"));
    this.write(
      "config.json",
      JSON.stringify({ vocab_size: 1001, eos_token_id: 1000, max_position_embeddings: 4096 }),
    );
    this.write(
      "tokenizer_config.json",
      JSON.stringify({ add_bos_token: false, eos_token: { content: "<end>" } }),
    );
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.path, name), text);
  }

  load(library: TestLibrary, options: Partial<VllmEngineOptions> = {}): Promise<Engine> {
    return loadVllmEngine({ libraryPath: testLibrary(library), modelPath: this.path, ...options });
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
