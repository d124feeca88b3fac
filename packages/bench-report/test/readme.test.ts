import { readFileSync } from "node:fs";

import { expect, it } from "vitest";

import * as benchReport from "../src/index.ts";
import { IMPORT_FORMATS } from "../src/index.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

it("the example of the README runs, and prints what it says", () => {
  const block = /```js\n([^]*?)```/.exec(readme)?.[1] ?? "";
  const imported = /import \{([^}]*)\} from "@onpar\/bench-report";/.exec(block);
  const names = [...(imported?.[1] ?? "").matchAll(/\w+/g)].map(([name]) => name);
  expect(names.length).toBeGreaterThan(3);
  const lines: string[] = [];
  const log = (...parts: unknown[]): number => lines.push(parts.map(String).join(" "));
  const code = block.replace(imported?.[0] ?? "", "");
  // oxlint-disable-next-line no-implied-eval -- the example is run as it stands
  const example = new Function(...names, "console", code) as (...values: unknown[]) => void;
  const exported = new Map<string, unknown>(Object.entries(benchReport));
  example(...names.map((name) => exported.get(name)), { log });
  const promised = [...block.matchAll(/^.*?\); \/\/ (.*)$/gm)].map(([, text]) => text);
  expect(lines).toEqual(promised);
});

it("the README names every format that is read", () => {
  for (const format of IMPORT_FORMATS) expect(readme).toContain(`\`${format}\``);
});
