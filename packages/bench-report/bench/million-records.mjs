// Time and memory of a report of a million requests: writes a records file, then reports it with the command line in a process of
// its own, as a reader would.
//
//   npm run setup && node packages/bench-report/bench/million-records.mjs [RECORDS] [CHUNKS] [CLI]
import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const requests = Number(process.argv[2] ?? 1_000_000);
const chunks = Number(process.argv[3] ?? 16);
const cli = process.argv[4] ?? fileURLToPath(new URL("../../../apps/bench/bin/onpar.js", import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), "onpar-million-"));
const file = path.join(folder, "records.jsonl");

function run(args) {
  const started = performance.now();
  const { status, stderr, stdout } = spawnSync(
    "/usr/bin/env",
    ["time", "-v", process.execPath, cli, ...args],
    {
      encoding: "utf8",
      maxBuffer: 2 ** 28,
    },
  );
  if (status !== 0) throw new Error(`onpar ${args[0]} ended with ${status}: ${stderr.slice(0, 2000)}`);
  const kib = Number(/Maximum resident set size \(kbytes\): (\d+)/.exec(stderr)?.[1] ?? Number.NaN);
  const cpu = Number(/User time \(seconds\): ([\d.]+)/.exec(stderr)?.[1] ?? Number.NaN);
  return { cpu, seconds: (performance.now() - started) / 1000, mebibytes: kib / 1024, stdout };
}

function writeRecords(config) {
  const descriptor = openSync(file, "w");
  const write = (lines) => writeSync(descriptor, lines.join(""));
  const host = { node: "", platform: "", arch: "", cpus: 1, cpuModel: null, memoryBytes: 1 };
  const tool = { name: "onpar", version: "0.0.0" };
  const startedAt = "2026-03-01T10:00:00.000Z";
  const header = {
    type: "header",
    schema: "onpar.records/2",
    runId: "r",
    startedAt,
    tool,
    config,
    host,
    asked: requests,
  };
  write([`${JSON.stringify(header)}\n`]);
  let block = [];
  for (let index = 0; index < requests; index++) {
    const sentNs = index * 1_000_000 + (index % 977);
    const gapsNs = Array.from({ length: chunks }, (_, at) =>
      at === 0
        ? sentNs + 90_000_000 + (index % 1009) * 10_007
        : 20_000_000 + ((index * 31 + at * 17) % 4093) * 1009,
    );
    const endNs = gapsNs.reduce((sum, gap) => sum + gap, 0) + 1000;
    const record = {
      type: "request",
      id: `measure-${index}`,
      promptId: `prompt-${index % 1000}`,
      phase: "measure",
      state: "ok",
      repetition: 0,
      turn: null,
      worker: 0,
      scheduledNs: sentNs - 500,
      sentNs,
      connectNs: null,
      headersNs: sentNs + 1000,
      chunks: {
        kinds: "c".repeat(chunks),
        gapsNs,
        bytes: gapsNs.map(() => 12),
        tokens: gapsNs.map(() => 3),
      },
      endNs,
      attempts: 1,
      status: 200,
      retryAfterS: null,
      plannedPromptTokens: null,
      plannedOutputTokens: null,
      finish: { raw: "length", reason: "length" },
      usage: {
        promptTokens: 512,
        completionTokens: chunks * 3,
        cachedPromptTokens: 0,
        reasoningTokens: null,
      },
      outputTokens: chunks * 3,
      tokenSource: "usage",
      textSha256: null,
      textBytes: chunks * 12,
      requestSha256: "0".repeat(64),
      connection: "reused",
      acceptance: null,
      firstEosIndex: null,
      error: null,
    };
    block.push(`${JSON.stringify(record)}\n`);
    if (block.length === 2000) {
      write(block);
      block = [];
    }
  }
  const facts = {
    asked: requests,
    cap: chunks * 3,
    concurrency: null,
    acceptance: null,
    acceptanceMissing: "no drafts",
    client: null,
  };
  write([
    ...block,
    `${JSON.stringify({ type: "end", runId: "r", interrupted: false, records: requests, facts })}\n`,
  ]);
  closeSync(descriptor);
}

try {
  const { config } = JSON.parse(run(["config", "show", "--json"]).stdout);
  writeRecords(config);
  const mib = statSync(file).size / 2 ** 20;
  console.log(`${requests} records of ${chunks} chunks, ${mib.toFixed(0)} MiB`);
  const kinds = { terminal: [], HTML: ["--html", path.join(folder, "report.html")] };
  for (const [name, args] of Object.entries(kinds)) {
    const { cpu, seconds, mebibytes } = run(["report", file, ...args]);
    console.log(
      `${name}: ${seconds.toFixed(1)} s (${cpu.toFixed(1)} s of CPU), ${mebibytes.toFixed(0)} MiB at most`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
