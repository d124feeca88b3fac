// The error of this client's times at each number of streams, medians over several runs.
import { selftest, type SelftestLevel } from "../src/selftest/selftest.ts";
import { median, verdict } from "./load.ts";

const rounds = Number(process.argv[2] ?? 3);
const durationS = Number(process.argv[3] ?? 6);
const streams = (process.argv[4] ?? "1,100,500,1000").split(",").map(Number);

/** TTFT error, p50, ms, by streams. */
const TTFT_LIMITS: Readonly<Record<number, number>> = { 1: 1, 100: 2, 500: 8, 1000: 15 };
/** ITL error, p99, ms, by streams. */
const ITL_LIMITS: Readonly<Record<number, number>> = { 100: 1 };
const MEMORY_LIMIT_MB = 300;

const runs: SelftestLevel[][] = [];
for (let round = 0; round < rounds; round++) {
  const { levels } = await selftest({
    streams,
    eventsPerS: null,
    firstMs: 50,
    durationS,
    workers: "auto",
    workerKind: "thread",
  });
  runs.push([...levels]);
}
for (const [index, count] of streams.entries()) {
  const levels = runs.map((run) => run[index]).filter((level) => level !== undefined);
  const middle = (value: (level: SelftestLevel) => number): number => median(levels.map(value));
  const of = (value: (level: SelftestLevel) => number): string => middle(value).toFixed(2);
  console.log(
    `${count} streams: TTFT error p50 ${of((level) => level.ttftErrorMs.p50)} p99 ${of((level) => level.ttftErrorMs.p99)} ms, ` +
      `ITL error p50 ${of((level) => level.itlErrorMs.p50)} p99 ${of((level) => level.itlErrorMs.p99)} ms, ` +
      `${of((level) => level.eventsPerS)} events/s, ${of((level) => level.eventsPerCpuS)} per CPU second, ` +
      `${of((level) => level.memoryMiB)} MiB, server late p99 ${of((level) => level.serverLatenessMs.p99)} ms, ` +
      `loop late p99 ${of((level) => level.loopDelayMs)} ms, ${of((level) => level.workers)} workers, ` +
      `failed ${of((level) => level.failed)}`,
  );
  const ttft = TTFT_LIMITS[count];
  if (ttft !== undefined)
    console.log(
      verdict(
        `${count} streams, TTFT error p50, ms:`,
        middle((level) => level.ttftErrorMs.p50),
        "at most",
        ttft,
      ),
    );
  const itl = ITL_LIMITS[count];
  if (itl !== undefined)
    console.log(
      verdict(
        `${count} streams, ITL error p99, ms:`,
        middle((level) => level.itlErrorMs.p99),
        "at most",
        itl,
      ),
    );
  const memory = (middle((level) => level.memoryMiB) * 2 ** 20) / 1e6;
  console.log(verdict(`${count} streams, memory, MB:`, memory, "at most", MEMORY_LIMIT_MB));
}
