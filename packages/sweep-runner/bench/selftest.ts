// The error of this client's times at each number of streams, medians over several runs.
import { selftest, type SelftestLevel } from "../src/selftest/selftest.ts";
import { median } from "./load.ts";

const rounds = Number(process.argv[2] ?? 3);
const durationS = Number(process.argv[3] ?? 6);
const streams = (process.argv[4] ?? "1,100,500,1000").split(",").map(Number);

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
  const of = (value: (level: SelftestLevel) => number): string => median(levels.map(value)).toFixed(2);
  console.log(
    `${count} streams: TTFT error p50 ${of((level) => level.ttftErrorMs.p50)} p99 ${of((level) => level.ttftErrorMs.p99)} ms, ` +
      `ITL error p50 ${of((level) => level.itlErrorMs.p50)} p99 ${of((level) => level.itlErrorMs.p99)} ms, ` +
      `${of((level) => level.eventsPerS)} events/s, ${of((level) => level.eventsPerCpuS)} per CPU second, ` +
      `${of((level) => level.memoryMiB)} MiB, server late p99 ${of((level) => level.serverLatenessMs.p99)} ms, ` +
      `failed ${of((level) => level.failed)}`,
  );
}
