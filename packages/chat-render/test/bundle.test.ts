import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";

/** What is used of esbuild, which comes with tsup. */
interface Esbuild {
  build(options: object): Promise<{
    readonly outputFiles: readonly { readonly text: string }[];
    readonly metafile: { readonly inputs: Readonly<Record<string, unknown>> };
  }>;
}

const here = createRequire(import.meta.url);
const esbuild = createRequire(here.resolve("tsup"))("esbuild") as Esbuild;

describe("the main entry, bundled for a browser with all it needs", () => {
  let script = "";
  let inputs: readonly string[] = [];

  beforeAll(async () => {
    const { outputFiles, metafile } = await esbuild.build({
      entryPoints: [fileURLToPath(new URL("../src/index.ts", import.meta.url))],
      bundle: true,
      minify: true,
      format: "esm",
      platform: "browser",
      target: "es2022",
      write: false,
      metafile: true,
      logLevel: "silent",
    });
    script = outputFiles[0]?.text ?? "";
    inputs = Object.keys(metafile.inputs);
  });

  test("is no larger than the README says", () => {
    expect(script.length).toBeGreaterThan(10_000);
    expect(new TextEncoder().encode(script).length).toBeLessThan(205_500);
    expect(gzipSync(script).length).toBeLessThan(72_500);
  });

  test("needs no module of Node and none of the large libraries", () => {
    expect(inputs.filter((input) => /node:|@huggingface|zod|gguf/u.test(input))).toEqual([]);
    expect(script).not.toMatch(/from"node:|require\("/u);
  });

  test("never evaluates text as code", () => {
    expect(script).not.toMatch(/\beval\(|new Function\(|\bFunction\(/u);
  });
});
