import type { Engine, GenerateFinish, GenerateRequest, TokenBatch } from "@onpar/engine-binding";

import { ApiError } from "./http/api-error.ts";
import type { LatencyHistograms } from "./metrics/latency-histograms.ts";

export interface RunGenerationOptions {
  readonly engine: Engine;
  readonly latency: LatencyHistograms;
  readonly signal: AbortSignal;
  /** Takes every batch in order; the next one waits for what it returns. */
  readonly onBatch: (batch: TokenBatch) => void | Promise<void>;
}

/**
 * Runs a request to its end and hands on its batches. An aborted request is read to its end as well: the engine
 * settles its counters there.
 *
 * @throws {EngineError} what the engine throws
 */
export async function runGeneration(
  request: GenerateRequest,
  options: RunGenerationOptions,
): Promise<GenerateFinish> {
  const observe = options.latency.observe(process.hrtime.bigint());
  let finish: GenerateFinish | null = null;
  for await (const batch of options.engine.generate(request, options.signal)) {
    observe(batch);
    await options.onBatch(batch);
    if (batch.finish !== undefined) finish = batch.finish;
  }
  if (finish === null) {
    throw new ApiError(500, {
      code: "engine_failed",
      message: "The engine ended the output without a reason.",
    });
  }
  return finish;
}
