import type { Engine } from "@onpar/engine-binding";

import type { ChatPrompts } from "./chat-prompt.ts";
import { ApiError } from "./http/api-error.ts";
import type { ServerMetrics } from "./metrics/server-metrics.ts";
import type { ServerLimits } from "./server-limits.ts";

/** What the routes share. */
export interface ServerContext {
  readonly engine: Engine;
  readonly servedModelName: string;
  readonly serverVersion: string;
  readonly startedAt: Date;
  readonly limits: ServerLimits;
  readonly metrics: ServerMetrics;
  readonly chatPrompts: ChatPrompts;
  /** Ends every running request when it aborts. */
  readonly stopSignal: AbortSignal;
  /** Takes the cause of a failure that clients are only told about. */
  readonly reportError: (error: Error) => void;
  readonly randomSeed: () => number;
  readonly randomId: () => string;
  readonly now: () => Date;
}

/** @throws {ApiError} 404 `model_not_found`, naming the model that is served */
export function checkModel(context: ServerContext, model: string | null | undefined): void {
  if (model == null || model === context.servedModelName) return;
  throw new ApiError(404, {
    code: "model_not_found",
    param: "model",
    message: `The model ${JSON.stringify(model.slice(0, 200))} is not served here; this server serves ${JSON.stringify(context.servedModelName)}.`,
  });
}
