import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import * as main from "../src/index.ts";
import { DIALECTS, FORMULAS } from "../src/index.ts";
import * as publish from "../src/publish/spec-decode-metrics.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

it("the README's examples import what there is", () => {
  const imports = [...readme.matchAll(/import \{([^}]+)\} from "(@onpar\/metrics-client[^"]*)";/g)];
  expect(imports.length).toBeGreaterThanOrEqual(4);
  for (const [, names = "", from = ""] of imports) {
    const exported: object = from.endsWith("/publish") ? publish : main;
    for (const name of names.split(",").map((part) => part.trim()))
      expect(exported, name).toHaveProperty(name);
  }
});

it("the README names every engine that is read, and formulas by the ids that figures carry", () => {
  for (const { title } of DIALECTS) {
    const name = title.replace(/^NVIDIA |Text Generation Inference/, "").trim();
    expect(readme, title).toContain(name === "" ? "TGI" : name);
  }
  for (const id of ["A/D", "1+A/V", "A_i/V"] as const) {
    expect(FORMULAS).toHaveProperty([id]);
    expect(readme).toContain(id);
  }
});
