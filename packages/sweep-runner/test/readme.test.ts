import { readdirSync, readFileSync } from "node:fs";
import * as benchConfig from "@onpar/bench-config";
import { expect, it } from "vitest";
import * as sweepRunner from "../src/index.ts";
import { startBenchServer } from "./support/bench-server.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

it("the example of the README runs", async () => {
  const block = /```js\n([^]*?)```/.exec(readme)?.[1] ?? "";
  const names = [...block.matchAll(/^import \{ (.*) \} from "(.*)";$/gm)];
  expect(names.map(([, , module]) => module)).toEqual(["@onpar/bench-config", "@onpar/sweep-runner"]);
  const server = await startBenchServer({ naturalLength: 7, acceptedPerStep: 2 });
  try {
    const code = block.replace(/^import .*$/gm, "").replace("http://127.0.0.1:8000", server.url);
    const lines: string[] = [];
    const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor as new (
      ...parts: string[]
    ) => (...values: unknown[]) => Promise<void>;
    const example = new AsyncFunction("benchConfigSchema", "runBench", "console", code);
    const log = (...parts: unknown[]): number => lines.push(parts.map(String).join(" "));
    await example(benchConfig.benchConfigSchema, sweepRunner.runBench, { log });
    expect(lines[0]).toMatch(/^eos/);
    expect(lines[1]).toMatch(/TTFT p50 [\d.]+ ms; output [\d.]+ tok\/s/);
    expect(lines[2]).toBe(`acceptance ${2 / 3}`);
    expect(server.completions).toHaveLength(21);
  } finally {
    await server.close();
  }
});

it("the README names every finding that can be made, and no other", () => {
  const folder = new URL("../src/", import.meta.url);
  const own = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => new URL(name.replaceAll("\\", "/"), folder));
  // The stopping rule is judged by bench-config, for this package and for every other.
  const judged = new URL("../../bench-config/src/audit/stopping-rule-audit.ts", import.meta.url);
  const made = [...own, judged].flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/severity: "(\w+)",\s*code: "([a-z-]+)"/g)].map(
      ([, severity, code]) => `${severity} ${code}`,
    ),
  );
  const section = /## Findings\n([^]*?)\n## /.exec(readme)?.[1] ?? "";
  const named = [...section.matchAll(/`(breach|warning|note)`:([^]*?)\.(?=\n|$)/g)].flatMap(
    ([, severity, list = ""]) => [...list.matchAll(/`([a-z-]+)`/g)].map(([, code]) => `${severity} ${code}`),
  );
  expect(named.sort()).toEqual([...new Set(made)].sort());
});
