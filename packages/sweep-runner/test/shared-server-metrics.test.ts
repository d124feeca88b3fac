import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { distribution } from "../src/figures/percentiles.ts";
import { itlChunkGapsMs, tpotVllmMs, ttftMs } from "../src/figures/request-figures.ts";
import { startBenchServer } from "./support/bench-server.ts";
import { config } from "./support/config.ts";
import { chunksAt, record } from "./support/records.ts";
import { run } from "./support/run.ts";
import { sharedCases } from "./support/shared-cases.ts";

// Cases of kinds E and F that are about the runner; the others are checked by metrics-client.
const cases = sharedCases("EF");
const caseOf = (id: string) => cases.find((one) => one.id === id);

describe(`bursts of tokens (${caseOf("F10") === undefined ? "no shared case: the numbers alone" : "with the shared case F10"})`, () => {
  const steps = Array.from({ length: 10 }, (_, index) => [40 * (index + 1), 4] as const);
  const burst = record({ sentNs: 0, endNs: 400e6, outputTokens: 40, chunks: chunksAt(...steps) });
  const figures = {
    ttft_ms: ttftMs(burst),
    tpot_ms: tpotVllmMs(burst),
    median_itl_chunk_ms: distribution(itlChunkGapsMs(burst))?.p50,
    output_tokens: burst.outputTokens,
  };

  it("have a chunk gap that is no token latency: engines are compared by TPOT", () => {
    expect(figures).toEqual({
      ttft_ms: 40,
      tpot_ms: expect.closeTo(360 / 39, 10),
      median_itl_chunk_ms: 40,
      output_tokens: 40,
    });
    const expected = caseOf("F10")?.expected ?? {};
    for (const [name, value] of Object.entries(expected)) {
      expect(Reflect.get(figures, name), name).toBeCloseTo(Number(value), 4);
    }
  });
});

it("the metrics page is read around a run, and not any more when it has ended", async () => {
  const server = await startBenchServer({ acceptedPerStep: 2, delayMs: 20 });
  try {
    const reads = (): number => server.requests.filter(({ path }) => path.startsWith("/metrics")).length;
    await run(config(server.url, { numPrompts: 20, concurrency: 2 }));
    const during = reads();
    expect(during).toBeGreaterThanOrEqual(2);
    // The shared case E17 allows 7 in a run of 5 s, and 1 after it.
    expect(during).toBeLessThanOrEqual(7);
    await sleep(300);
    expect(reads()).toBe(during);
  } finally {
    await server.close();
  }
});
