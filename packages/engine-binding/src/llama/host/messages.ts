import type { EngineInfo, TokenBatch } from "../../engine.ts";
import type { EngineErrorCode } from "../../errors.ts";
import type { CheckedRequest } from "../../request.ts";
import type { LlamaEngineOptions } from "../options.ts";

/** Options as they cross to the engine's thread: without what cannot be copied. */
export type ThreadOptions = Omit<LlamaEngineOptions, "onLoadProgress" | "signal">;

/** What the engine's thread is started with. */
export interface ThreadStart {
  readonly options: ThreadOptions;
  /** Memory of the `QuietFlag`. */
  readonly quiet: SharedArrayBuffer;
}

/** To the engine's thread. */
export type ToEngineThread =
  | { readonly type: "cancel-load" }
  | {
      readonly type: "generate";
      readonly id: number;
      readonly request: CheckedRequest;
      /** The signal had aborted before the request was made. */
      readonly aborted: boolean;
    }
  | { readonly type: "abort"; readonly id: number }
  | { readonly type: "reset-prefix-cache"; readonly id: number }
  | { readonly type: "dispose" };

/** A batch, or how a request ended without one. */
export type Delivery =
  | { readonly id: number; readonly batch: TokenBatch }
  | { readonly id: number; readonly error: ThrownInThread }
  | { readonly id: number; readonly done: true };

/** From the engine's thread. */
export type FromEngineThread =
  | { readonly type: "progress"; readonly fraction: number }
  | {
      readonly type: "loaded";
      readonly info: EngineInfo;
      readonly appendedEosTokenId: number | null;
      /** Memory of the counters: see `CounterBoard`. */
      readonly board: SharedArrayBuffer;
    }
  | { readonly type: "load-failed"; readonly error: ThrownInThread }
  | { readonly type: "deliveries"; readonly deliveries: readonly Delivery[] }
  | { readonly type: "disposed" };

/** An error on its way between threads; without a code it is the signal's reason or a fault of the engine. */
export interface ThrownInThread {
  readonly code: EngineErrorCode | null;
  readonly message: string;
}
