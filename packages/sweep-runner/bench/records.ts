// A million records: how long figures, findings and the report take, and how much memory. Writes a records file as a run of chat
// answers leaves it, then reads it in a process of its own, as `onpar report` does it and with the audit.
import { createWriteStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { benchConfigSchema } from "@onpar/bench-config";
import { hostFacts } from "../src/records/host-facts.ts";
import { RECORDS_SCHEMA } from "../src/records/journal-format.ts";
import { scanRecords } from "../src/records/read-records.ts";
import type { RequestRecord } from "../src/record.ts";
import { createRng } from "../src/rng.ts";
import { resolveStoppingRule } from "../src/resolved-protocol.ts";
import { RunTally } from "../src/run-tally.ts";
import { summarizeFigures } from "../src/figures/summarize.ts";
import { thousands, verdict } from "./load.ts";

const SECONDS_LIMIT = 20;
const MEMORY_LIMIT_MB = 500;

const [mode = "all", ...rest] = process.argv.slice(2);
if (mode === "read") await read(rest[0] ?? "");
else await measure(mode === "all" ? 1_000_000 : Number(mode), Number(rest[0] ?? 16));

async function measure(count: number, chunks: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "onpar-records-"));
  const path = join(folder, "records.jsonl");
  try {
    await write(path, count, chunks);
    const { size } = await stat(path);
    console.log(`${thousands(count)} records of ${chunks} chunks, ${(size / 2 ** 20).toFixed(0)} MiB`);
    await timed("figures and findings", [fileURLToPath(import.meta.url), "read", path]);
    await timed("onpar report", [fileURLToPath(new URL("onpar.js", import.meta.url)), "report", path]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs a Node program and tells how long it took and its highest resident memory. */
async function timed(name: string, args: readonly string[]): Promise<void> {
  const startMs = performance.now();
  const code = `import { writeSync } from "node:fs"; process.on("exit", () => {
    const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
    writeSync(3, maxRSS + " " + (userCPUTime + systemCPUTime) / 1e6); });`;
  const child = spawn(
    process.execPath,
    ["--import", `data:text/javascript,${encodeURIComponent(code)}`, ...args],
    { stdio: ["ignore", "pipe", "inherit", "pipe"] },
  );
  let used = "";
  let out = "";
  child.stdout?.on("data", (data: Buffer) => (out += data.toString("utf8")));
  child.stdio[3]?.on("data", (data: Buffer) => (used += data.toString("utf8")));
  await once(child, "close");
  if (child.exitCode !== 0) throw new Error(`${name} ended with code ${child.exitCode}`);
  const [maxRSS = NaN, cpuS = NaN] = used.split(" ").map(Number);
  console.log(out.split("\n").slice(0, 12).join("\n"));
  const wallS = (performance.now() - startMs) / 1000;
  console.log(
    `${name}: ${wallS.toFixed(1)} s, ${cpuS.toFixed(1)} CPU s, peak ${(maxRSS / 1024).toFixed(0)} MiB`,
  );
  console.log(verdict(`${name}, s:`, wallS, "at most", SECONDS_LIMIT));
  console.log(verdict(`${name}, memory, MB:`, (maxRSS * 1024) / 1e6, "at most", MEMORY_LIMIT_MB));
}

async function read(path: string): Promise<void> {
  const runs: { readonly asked: number; readonly tally: RunTally }[] = [];
  await scanRecords(path, {
    header: ({ asked, config }) =>
      runs.push({ asked, tally: new RunTally({ rule: resolveStoppingRule(config, {}) }) }),
    record: (record) => runs.at(-1)?.tally.add(record),
  });
  for (const { asked, tally } of runs) {
    const context = { asked, cap: 128, acceptance: null, acceptanceMissing: "none", concurrency: 64 };
    const summary = summarizeFigures(tally.figures, context);
    const findings = tally.audit.findings({ summary, draftBudget: null, metrics: null });
    const { counts, latency } = summary;
    console.log(
      `${counts.ok} ok, ${counts.failed} failed, TTFT p99 ${latency.ttftMs?.p99.toFixed(3)} ms, ` +
        `ITL p99 ${latency.itlChunkMs?.p99.toFixed(3)} ms; findings: ${findings.map(({ code }) => code).join(", ")}`,
    );
  }
}

async function write(path: string, count: number, chunks: number): Promise<void> {
  const out = createWriteStream(path, { highWaterMark: 2 ** 22 });
  const line = (value: unknown): string => `${JSON.stringify(value)}\n`;
  const runId = "bench";
  out.write(
    line({
      type: "header",
      schema: RECORDS_SCHEMA,
      runId,
      startedAt: new Date(0).toISOString(),
      tool: { name: "onpar", version: "bench" },
      config: benchConfigSchema.parse({ target: { baseUrl: "http://127.0.0.1:1" }, outputLen: 128 }),
      host: hostFacts(),
      asked: count,
    }),
  );
  const rng = createRng(1);
  let lines = "";
  for (let index = 0; index < count; index++) {
    lines += line(answer(index, chunks, () => rng.next()));
    if (lines.length < 2 ** 20 && index < count - 1) continue;
    if (!out.write(lines)) await once(out, "drain");
    lines = "";
  }
  out.write(line({ type: "end", runId, interrupted: false, records: count }));
  out.end();
  await once(out, "close");
}

/** An answer in a closed loop of 64, 20 ms a token; one in a thousand fails. */
function answer(index: number, chunks: number, random: () => number): RequestRecord {
  const lastly = index % 1000 === 999;
  const scheduledNs = Math.floor(index / 64) * 400_000_000 + Math.floor(random() * 1e7);
  const sentNs = scheduledNs + Math.floor(random() * 1e6);
  const firstNs = sentNs + Math.floor(5e7 + random() * 3e7);
  const gapsNs = [firstNs];
  let endNs = firstNs;
  for (let chunk = 1; chunk < chunks; chunk++) {
    const gap = Math.floor(1.5e7 + random() * 1e7);
    gapsNs.push(gap);
    endNs += gap;
  }
  const hash = index.toString(16).padStart(64, "0");
  return {
    type: "request",
    id: `measure-${index}`,
    promptId: `p${index}`,
    phase: "measure",
    state: lastly ? "failed" : "ok",
    repetition: 0,
    turn: null,
    worker: 0,
    scheduledNs,
    sentNs,
    connectNs: index < 64 ? 300_000 : null,
    headersNs: firstNs - 1000,
    chunks: {
      kinds: `${"c".repeat(chunks - 2)}fd`,
      gapsNs,
      bytes: gapsNs.map((_, chunk) => (chunk < chunks - 2 ? 4 : 0)),
      tokens: null,
    },
    endNs,
    attempts: 1,
    status: lastly ? 500 : 200,
    retryAfterS: null,
    plannedPromptTokens: 64,
    plannedOutputTokens: null,
    finish: { raw: "stop", reason: "stop" },
    usage: {
      promptTokens: 64,
      completionTokens: chunks - 2,
      cachedPromptTokens: 0,
      reasoningTokens: null,
    },
    outputTokens: chunks - 2,
    tokenSource: "usage",
    textSha256: hash,
    textBytes: 4 * (chunks - 2),
    requestSha256: hash,
    connection: "reused",
    acceptance: null,
    firstEosIndex: null,
    error: lastly ? { kind: "http", message: "HTTP 500: the model is gone" } : null,
  };
}
