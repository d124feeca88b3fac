import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { z } from "zod";

const root = join(import.meta.dirname, "..");

/** Packages, but not the modules of Node, whose names hold a colon. */
const IMPORTED = /\b(?:from |import\()"((?:@[^/"]+\/)?[a-z][^/":]*)(?:\/[^":]*)?"/g;

it("depends on every package that its code and its declarations name", async () => {
  const manifest = z.object({ dependencies: z.record(z.string(), z.string()) });
  const { dependencies } = manifest.parse(JSON.parse(await readFile(join(root, "package.json"), "utf8")));
  const named = new Set<string>();
  for (const file of await readdir(join(root, "src"), { recursive: true })) {
    if (!file.endsWith(".ts")) continue;
    const text = await readFile(join(root, "src", file), "utf8");
    for (const [, name] of text.matchAll(IMPORTED)) named.add(name ?? "");
  }
  expect([...named].sort()).toEqual(Object.keys(dependencies).sort());
});
