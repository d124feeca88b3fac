import type { Engine } from "@onpar/engine-binding";
import type { FastifyRequest } from "fastify";

import type { Admission } from "./admission/admission.ts";
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
  readonly admission: Admission;
  readonly chatPrompts: ChatPrompts;
  /** Refuses fields that are not known instead of naming them. */
  readonly strict: boolean;
  /** Takes what the operator should know of a request; never holds what a client wrote but names of fields. */
  readonly note: (note: string) => void;
  /** Clients show keys; without that, what they call themselves tells nothing. */
  readonly clientsHaveKeys: boolean;
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

/** Who asks, for fairness: the key that was checked, else the address. */
export function clientOf(
  { clientsHaveKeys }: Pick<ServerContext, "clientsHaveKeys">,
  request: Pick<FastifyRequest, "headers" | "ip">,
): string {
  return (clientsHaveKeys ? request.headers.authorization : undefined) ?? request.ip;
}
