import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as main from "../src/index.ts";
import * as node from "../src/node.ts";
import { viewNames } from "../src/index.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const [first = "", second = ""] = [...readme.matchAll(/```ts\n(.*?)```/gsu)].map(([, code]) => code ?? "");

/** What the lines of an example print, as their comments say it. */
function promised(code: string): string[] {
  return [...code.matchAll(/^console\.log\(.*\); \/\/ (.*)$/gmu)].map(
    ([, said]) => (said ?? "").split(": ")[0] ?? "",
  );
}

/** Runs an example with the modules that it imports, and gives what it prints. */
async function run(code: string): Promise<unknown[][]> {
  const printed: unknown[][] = [];
  const body = code
    .replace(/import \{(.*?)\} from "@onpar\/chat-render";/su, "const {$1} = main;")
    .replace(/import \{(.*?)\} from "@onpar\/chat-render\/node";/su, "const {$1} = node;");
  // The example is text of this repository.
  // oxlint-disable-next-line no-implied-eval, typescript/no-implied-eval -- see above
  const example = new Function("main", "node", "console", `return (async () => { ${body} })();`) as (
    ...args: unknown[]
  ) => Promise<void>;
  await example(main, node, { log: (...values: unknown[]) => printed.push(values) });
  return printed;
}

describe("the README", () => {
  test("its first example prints what it says", async () => {
    const printed = await run(first);
    expect(
      printed.map(([value]) => (Array.isArray(value) ? `[ '${value.join("', '")}' ]` : String(value))),
    ).toEqual(promised(first));
  });

  test("its second example prints what it says", async () => {
    const [[text] = [], rest = []] = await run(second);
    expect(text).toBe(promised(second)[0]?.concat(': 1.0, "9": 2}'));
    expect(rest).toEqual(["default", "literal", expect.stringMatching(/^[0-9a-f]{8}$/u)]);
  });

  test("names every view and every code of an error", () => {
    for (const view of viewNames) {
      expect(readme).toContain(`\`${view}\``);
    }
    const source = readFileSync(new URL("../src/error.ts", import.meta.url), "utf8");
    for (const [, code] of source.matchAll(/^ {2}\| "([A-Z_]+)"/gmu)) {
      expect(readme).toContain(`\`${code}\``);
    }
  });
});
