import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as benchConfig from "../src/index.ts";
import { auditCodes, configLayerFromText, foreignFlags, presets, resolveConfig } from "../src/index.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
/** Without the padding of its tables. */
const cells = readme.replace(/ *\| */gu, "|");

test("the example runs, and prints what it says", () => {
  const block = /```js\n([^]*?)```/u.exec(readme)?.[1] ?? "";
  const names = [...(/import \{([^}]*)\}/u.exec(block)?.[1] ?? "").matchAll(/\w+/gu)].map(([name]) => name);
  expect(names.length).toBeGreaterThan(5);
  const lines: string[] = [];
  const log = (...parts: unknown[]): number => lines.push(parts.map(String).join(" "));
  const code = block.replace(/import \{[^}]*\} from "@onpar\/bench-config";/u, "");
  // oxlint-disable-next-line no-implied-eval -- the example is run as it stands
  const example = new Function(...names, "console", code) as (...values: unknown[]) => void;
  const exported = new Map<string, unknown>(Object.entries(benchConfig));
  example(...names.map((name) => exported.get(name)), { log });
  const promised = [...block.matchAll(/^.*?\/\/ (.*)$/gmu)].map(([, text]) => text);
  expect(lines.join("\n").split("\n")).toEqual(promised);
});

test("the file for editors is valid", () => {
  const text = /```yaml\n([^]*?)```/u.exec(readme)?.[1] ?? "";
  expect(text).toMatch(/^# yaml-language-server: \$schema=/u);
  expect(resolveConfig([configLayerFromText({ name: "f.yaml", text })]).config).toMatchObject({
    concurrency: 32,
    slos: ["ttft<=500ms", "p99(tpot)<=50ms"],
  });
});

test("the tables are those of the code", () => {
  for (const { name, title, source } of presets) {
    expect(cells).toContain(`|\`${name}\`|${title}|${source.title}, ${source.date}|`);
  }
  for (const [code, says] of Object.entries(auditCodes)) {
    expect(cells).toContain(`|\`${code}\`|${says}|`);
  }
  for (const { flag, argument, harness, meaning } of foreignFlags) {
    expect(cells).toContain(`|\`${flag}${argument === null ? "" : ` ${argument}`}\`|${harness}|${meaning}|`);
  }
});
