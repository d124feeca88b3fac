// Prompts of 50,000 tokens against short ones at the same load: large bodies must not slow the streams down.
import { startTimetableServer } from "../src/selftest/timetable-process.ts";
import { measured, thousands } from "./load.ts";

const requests = Number(process.argv[2] ?? 200);
const CONCURRENCY = 32;
const TOKENS = 200;

for (const inputLen of [16, 50_000]) {
  const server = await startTimetableServer({ firstMs: 50, everyMs: 10, tokens: TOKENS, eventsPerWrite: 1 });
  try {
    const { result, wallS, cpuS } = await measured(server.url, {
      numPrompts: requests,
      concurrency: CONCURRENCY,
      inputLen,
      outputLen: TOKENS,
      warmupRequests: CONCURRENCY,
    });
    const { latency, counts, rates } = result.summary;
    console.log(
      `prompts of ${thousands(inputLen)} tokens: ${thousands((requests * TOKENS) / wallS)} tokens/s (${(rates.outputTokensPerS ?? 0).toFixed(0)} by the summary), ` +
        `TTFT p50 ${latency.ttftMs?.p50.toFixed(1)} p99 ${latency.ttftMs?.p99.toFixed(1)} ms, ` +
        `ITL p99 ${latency.itlChunkMs?.p99.toFixed(1)} ms, ${cpuS.toFixed(2)} CPU s, ${counts.ok} of ${counts.asked} ok`,
    );
  } finally {
    await server.close();
  }
}
