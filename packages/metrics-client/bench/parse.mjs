// Speed of parsing one page, beside Python's prometheus_client on the same page, turn by turn in one run.
// usage: node bench/parse.mjs [PYTHON]    (a Python that has prometheus_client)
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseMetricsPage } from "../dist/index.js";
import { pageOf } from "./pages.mjs";

const ROUNDS = 7;
const python = process.argv[2] ?? "python3";
const folder = mkdtempSync(path.join(os.tmpdir(), "onpar-parse-"));
const file = path.join(folder, "page.prom");
const text = pageOf(5_000_000);
writeFileSync(file, text);

const SCRIPT = `
import sys, time
from prometheus_client.parser import text_string_to_metric_families
text = open(sys.argv[1], encoding="utf-8").read()
best = None
for _ in range(2):
    start = time.perf_counter()
    samples = sum(len(family.samples) for family in text_string_to_metric_families(text))
    took = time.perf_counter() - start
    best = took if best is None or took < best else best
print(best, samples)
`;

function ours() {
  // The same text anew, as a scrape would give it: nothing of the round before is known to the engine.
  const page = Buffer.from(text).toString("utf8");
  const start = performance.now();
  const { samples } = parseMetricsPage(page);
  return { seconds: (performance.now() - start) / 1000, samples: samples.length };
}

function theirs() {
  const { stdout, stderr, status } = spawnSync(python, ["-c", SCRIPT, file], { encoding: "utf8" });
  if (status !== 0)
    throw new Error(`${python} has no prometheus_client: ${stderr.trim().split("\n").at(-1)}`);
  const [seconds, samples] = stdout.trim().split(" ").map(Number);
  return { seconds, samples };
}

try {
  ours();
  const rows = [];
  for (let round = 0; round < ROUNDS; round++) rows.push({ own: ours(), python: theirs() });
  const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
  const own = median(rows.map((row) => row.own.seconds));
  const other = median(rows.map((row) => row.python.seconds));
  const ratio = median(rows.map((row) => row.python.seconds / row.own.seconds));
  const [first] = rows;
  console.log(
    `page: ${(text.length / 1e6).toFixed(2)} MB, ${first.own.samples} samples (Python: ${first.python.samples})`,
  );
  console.log(
    `metrics-client     ${(own * 1000).toFixed(1)} ms  ${(text.length / 1e6 / own).toFixed(0)} MB/s`,
  );
  console.log(
    `prometheus_client  ${(other * 1000).toFixed(1)} ms  ${(text.length / 1e6 / other).toFixed(1)} MB/s`,
  );
  console.log(`ratio ${ratio.toFixed(1)} (median of ${ROUNDS} rounds, each the better of two for Python)`);
  process.exitCode = ratio >= 10 && first.own.samples === first.python.samples ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}
