import { readFile } from "node:fs/promises";

import { parseExposition } from "@onpar/metrics-client";
import { expect, it } from "vitest";

import { servedPair } from "./support/served-pair.ts";

const pair = servedPair({ metricsSchema: "vllm+sglang" });

it("the Grafana dashboard asks only for series and labels that the page has", async () => {
  const file = new URL("../../../docs/grafana-onpar-server.json", import.meta.url);
  const text = await readFile(file, "utf8");
  const samples = parseExposition((await pair.app.inject("/metrics")).body);
  const names = new Set(samples.map(({ name }) => name));
  const asked = new Set(text.match(/vllm:\w+/g));
  expect(asked.size).toBeGreaterThan(12);
  for (const name of asked) expect(names, name).toContain(name);
  const labels = new Set(samples.flatMap((sample) => Object.keys(sample.labels)));
  for (const [, list = ""] of text.matchAll(/by \(([^)]+)\)/g)) {
    for (const label of list.split(", ")) expect(labels, label).toContain(label);
  }
  expect(samples.find(({ name }) => name === "sglang:spec_accept_length")?.value).toBe(0);
});
