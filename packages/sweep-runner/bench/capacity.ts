// How much one CPU second of the client carries, over the whole path: send, stamp, parse, hand over, record, journal. Beside
// it, in the same run, a bare undici loop that only looks for line ends, to tell a slow machine from a slow client.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "undici";
import { startTimetableServer } from "../src/selftest/timetable-process.ts";
import type { Timetable } from "../src/selftest/timetable.ts";
import { measured, median, thousands, verdict } from "./load.ts";

const rounds = Number(process.argv[2] ?? 3);
const scale = Number(process.argv[3] ?? 1);
const only = process.argv[4] ?? "";

/**
 * What a CPU second should carry on a machine where the bare loop carries `bare`; on any other machine, the same share of
 * its own bare loop: what the kernel takes for waking, reading and writing differs twofold between machines.
 */
interface Least {
  readonly full: number;
  readonly bare: number;
}

interface Case {
  readonly name: string;
  readonly timetable: Timetable;
  readonly requests: number;
  readonly concurrency: number;
  readonly unit: "events" | "requests";
  readonly least: Least | null;
  /** Most resident memory of the client, MB. */
  readonly mostMB: number | null;
}

const flood = (tokens: number, eventsPerWrite: number): Timetable => ({
  firstMs: 0,
  everyMs: 0,
  tokens,
  eventsPerWrite,
});
const cases: Case[] = [
  {
    name: "1 event per write",
    timetable: flood(2000, 1),
    requests: Math.ceil(512 * scale),
    concurrency: 64,
    unit: "events",
    least: { full: 250_000, bare: 300_000 },
    mostMB: null,
  },
  {
    name: "16 events per write",
    timetable: flood(2000, 16),
    requests: Math.ceil(1024 * scale),
    concurrency: 64,
    unit: "events",
    least: { full: 400_000, bare: 450_000 },
    mostMB: null,
  },
  {
    name: "1000 streams, 1 event per write",
    timetable: flood(400, 1),
    requests: Math.ceil(2000 * scale),
    concurrency: 1000,
    unit: "events",
    least: null,
    mostMB: 300,
  },
  {
    name: "short requests",
    timetable: flood(1, 1),
    // Long enough that compiling a fresh worker's code is no large part of it.
    requests: Math.ceil(160_000 * scale),
    concurrency: 64,
    unit: "requests",
    least: { full: 25_000, bare: 34_000 },
    mostMB: null,
  },
];

const folder = await mkdtemp(join(tmpdir(), "onpar-capacity-"));
try {
  for (const one of cases) {
    if (!one.name.includes(only)) continue;
    const server = await startTimetableServer(one.timetable);
    const full: number[] = [];
    const bare: number[] = [];
    let peak = 0;
    try {
      for (let round = 0; round < rounds; round++) {
        bare.push(await bareLoop(server.url, one));
        const used = await measured(server.url, {
          numPrompts: one.requests,
          concurrency: one.concurrency,
          warmupRequests: one.unit === "events" ? 64 : 4000,
          outputLen: one.timetable.tokens,
          output: join(folder, `${one.name}-${round}.jsonl`),
        });
        const { ok, asked } = used.result.summary.counts;
        if (ok !== asked) throw new Error(`${asked - ok} of ${asked} requests failed`);
        full.push(amount(one) / used.cpuS);
        peak = Math.max(peak, used.peakMiB);
        globalThis.gc?.();
      }
    } finally {
      await server.close();
    }
    console.log(
      `${one.name}: ${thousands(median(full))} ${one.unit} per CPU second, bare loop ${thousands(median(bare))}, ` +
        `ratio ${(median(full) / median(bare)).toFixed(2)} (all: ${full.map(thousands).join(" ")}); peak ${peak.toFixed(0)} MiB`,
    );
    if (one.least !== null) console.log(judged(one.name, one.least, median(full), median(bare)));
    if (one.mostMB !== null)
      console.log(verdict(`${one.name}, memory, MB:`, (peak * 2 ** 20) / 1e6, "at most", one.mostMB));
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

function judged(name: string, least: Least, full: number, bare: number): string {
  if (full >= least.full) return verdict(`${name}, per CPU second:`, full, "at least", least.full);
  const share = least.full / least.bare;
  return (
    verdict(`${name}, share of the bare loop:`, full / bare, "at least", share) +
    ` (per CPU second ${thousands(full)}, under ${thousands(least.full)}: the bare loop carries ${thousands(bare)} here)`
  );
}

function amount({ requests, timetable, unit }: Case): number {
  return unit === "events" ? requests * timetable.tokens : requests;
}

/** The same load by undici alone; per CPU second. */
async function bareLoop(url: string, one: Case): Promise<number> {
  const pool = new Pool(url, {
    connections: one.concurrency,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const body = Buffer.alloc(400, 97);
  let lines = 0;
  const send = (): Promise<void> =>
    new Promise((resolve, reject) => {
      pool.dispatch(
        { path: "/v1/completions", method: "POST", headers: { "content-type": "application/json" }, body },
        {
          onRequestStart() {},
          onResponseStart() {},
          onResponseData(_, bytes) {
            for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) lines++;
          },
          onResponseEnd: () => resolve(),
          onResponseError: (_, error) => reject(error),
        },
      );
    });
  const run = async (requests: number): Promise<void> => {
    let next = 0;
    const lane = async (): Promise<void> => {
      while (next++ < requests) await send();
    };
    await Promise.all(Array.from({ length: one.concurrency }, lane));
  };
  await run(Math.ceil(one.requests / 8));
  const cpu = process.cpuUsage();
  await run(one.requests);
  const { user, system } = process.cpuUsage(cpu);
  await pool.destroy();
  if (lines === 0) throw new Error("the server wrote nothing");
  return amount(one) / ((user + system) / 1e6);
}
