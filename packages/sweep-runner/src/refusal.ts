import type { BenchConfig } from "@onpar/bench-config";
import { RunError } from "./errors.ts";
import { servedList, unauthorised } from "./preflight.ts";
import type { RequestRecord } from "./record.ts";
import { isRefusal } from "./transport/refused.ts";

const TOO_LONG =
  /context (length|size|window)|context_length|exceed_context|maximum (model )?length|max_model_len|max_seq_len|too long|longer than the|exceeds? the (available|maximum|model)|\bn_ctx\b/i;

export interface RefusalContext {
  readonly config: BenchConfig;
  /** Where requests went, for messages. */
  readonly where: string;
  readonly hasKey: boolean;
  readonly served: readonly string[];
}

/**
 * The error that ends a run whose first requests come back refused, or null when a record is no refusal. One clear error
 * instead of N failed requests.
 */
export function refusalOf(record: RequestRecord, context: RefusalContext): RunError | null {
  const { error, status } = record;
  if (error === null) return null;
  const message = error.message.replace(/^HTTP \d+: /, "");
  if (error.kind === "engine") {
    return /ENGINE_PROMPT_TOO_LONG/.test(message) || TOO_LONG.test(message)
      ? new RunError("PROMPT_TOO_LONG", `the engine refused prompt ${record.promptId}: ${message}`)
      : new RunError("REQUEST_REFUSED", `the engine refused prompt ${record.promptId}: ${message}`);
  }
  if (error.kind !== "http" || status === null || !isRefusal(status)) return null;
  const says = `${context.where} answered ${status}: ${message}`;
  switch (status) {
    case 401:
    case 403:
      return unauthorised(context.config, context.where, status, context.hasKey);
    case 404: {
      const isModel = /model/i.test(message);
      return isModel
        ? new RunError("MODEL_NOT_FOUND", `${says}; ${servedList(context.served)}`)
        : new RunError("REQUEST_REFUSED", `${says}; does this server have that endpoint?`);
    }
    default:
      return status === 413 || TOO_LONG.test(message)
        ? new RunError(
            "PROMPT_TOO_LONG",
            `${says} (prompt ${record.promptId}); shorten the prompts or lower --output-len`,
          )
        : new RunError("REQUEST_REFUSED", `${says} (prompt ${record.promptId})`);
  }
}
