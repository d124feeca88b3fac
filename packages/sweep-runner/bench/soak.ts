// A long run at moderate load: memory must stay flat, and so must the error of the times.
import { startTimetableServer } from "../src/selftest/timetable-process.ts";
import { measured, median } from "./load.ts";

const minutes = Number(process.argv[2] ?? 30);
const RATE = Number(process.argv[3] ?? 40);
const TOKENS = 50;
const SAMPLES = 30;

const server = await startTimetableServer({ firstMs: 50, everyMs: 10, tokens: TOKENS, eventsPerWrite: 1 });
const samples: { readonly rss: number; readonly heap: number }[] = [];
try {
  let due = 0;
  const startMs = performance.now();
  const { result, cpuS, wallS } = await measured(
    server.url,
    {
      numPrompts: Math.ceil(RATE * 60 * minutes),
      load: { kind: "poisson", rate: RATE, durationS: minutes * 60 },
      inputLen: 64,
      outputLen: TOKENS,
      warmupRequests: 50,
    },
    () => {
      const now = performance.now() - startMs;
      if (now < due) return;
      due = now + (minutes * 60_000) / SAMPLES;
      globalThis.gc?.();
      const { rss, heapUsed } = process.memoryUsage();
      samples.push({ rss: rss / 2 ** 20, heap: heapUsed / 2 ** 20 });
    },
  );
  const { counts, latency } = result.summary;
  const third = Math.floor(samples.length / 3);
  const early = samples.slice(third, 2 * third);
  const late = samples.slice(-third);
  const of = (part: typeof samples, key: "rss" | "heap"): string =>
    median(part.map((sample) => sample[key])).toFixed(0);
  console.log(
    `${minutes} minutes at ${RATE} requests/s: ${counts.ok} of ${counts.asked} ok, ${counts.failed} failed, ` +
      `${(cpuS / wallS).toFixed(3)} CPU, ITL p99 ${latency.itlChunkMs?.p99.toFixed(2)} ms, queue p99 ${latency.queueMs?.p99.toFixed(2)} ms; ` +
      `resident ${of(early, "rss")} MiB in the second third, ${of(late, "rss")} MiB in the last; ` +
      `main heap ${of(early, "heap")} and ${of(late, "heap")} MiB`,
  );
} finally {
  await server.close();
}
