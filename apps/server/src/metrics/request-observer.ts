import type { TokenBatch } from "@onpar/engine-binding";

/** Watches one output: hand it every batch in order, and tell it when the output is over, however it ended. */
export interface RequestObserver {
  batch(batch: TokenBatch): void;
  over(): void;
}
