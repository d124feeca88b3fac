import type { Engine, GenerateFinish, GenerateRequest, TokenBatch } from "@onpar/engine-binding";

import type { Place } from "./admission/admission.ts";
import { ApiError } from "./http/api-error.ts";
import type { RequestObserver } from "./metrics/request-observer.ts";

export interface RunGenerationOptions {
  readonly engine: Engine;
  readonly observer: RequestObserver;
  readonly place: Place;
  readonly signal: AbortSignal;
  /** Takes every batch in order; the next one waits for what it returns. */
  readonly onBatch: (batch: TokenBatch) => void | Promise<void>;
}

/**
 * Runs a request to its end, when it is its turn, and hands on its batches. An aborted request is read to its end as
 * well: the engine settles its counters there.
 *
 * @returns null when the request was aborted before it was its turn
 * @throws {EngineError} what the engine throws
 */
export async function runGeneration(
  request: GenerateRequest,
  { engine, observer, place, signal, onBatch }: RunGenerationOptions,
): Promise<GenerateFinish | null> {
  try {
    if (!(await place.turn(signal))) return null;
    let finish: GenerateFinish | null = null;
    for await (const batch of engine.generate(request, signal)) {
      observer.batch(batch);
      await onBatch(batch);
      if (batch.finish !== undefined) finish = batch.finish;
    }
    if (finish === null) {
      throw new ApiError(500, {
        code: "engine_failed",
        message: "The engine ended the output without a reason.",
      });
    }
    return finish;
  } finally {
    place.release();
    observer.over();
  }
}
