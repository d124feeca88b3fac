import { stoppingRule, type BenchConfig, type ResolvedTemplate } from "@onpar/bench-config";
import { contextFit } from "./context-fit.ts";
import { RunError } from "./errors.ts";
import type { WorkloadPrompt } from "./prompt.ts";
import type { Session } from "./session.ts";
import type { PreparedRequest } from "./target.ts";
import { buildWorkload, type Workload } from "./workload.ts";

/** What a run is going to send: every request is built before the first one starts. */
export interface RunPlan {
  readonly workload: Workload;
  readonly template: ResolvedTemplate;
  readonly measure: readonly PreparedRequest[];
  readonly warmup: readonly PreparedRequest[];
}

/**
 * Makes the prompts and builds every request.
 *
 * @throws {RunError} `DATASET_INVALID`, `TEMPLATE_FAILED`, `PROMPT_TOO_LONG` where lengths are known before sending
 */
export async function planRun(
  config: BenchConfig,
  session: Session,
  signal: AbortSignal | undefined,
): Promise<RunPlan> {
  const counter = config.datasetPath === null ? await session.tokenCounter() : null;
  const workload = await buildWorkload(config, counter, signal);
  const cap = stoppingRule(config).cap;
  const prepare = (prompt: WorkloadPrompt): PreparedRequest => {
    const request = session.target.prepare(session.renderer.render(prompt));
    const tokens = request.promptTokens ?? (prompt.kind === "text" ? prompt.tokens : null);
    const limit = session.contextLimit;
    const fit = tokens === null || limit === null ? null : contextFit(tokens, cap, limit);
    if (fit !== null && !fit.fits) {
      throw new RunError(
        "PROMPT_TOO_LONG",
        `prompt ${prompt.id} has ${tokens} tokens, and with ${cap} output tokens it is over the context limit of ${limit}: ` +
          `at most ${fit.longestPrompt} fit; shorten the prompts or lower --output-len`,
      );
    }
    return request;
  };
  return {
    workload,
    template: session.renderer.template,
    measure: workload.measured.map(prepare),
    warmup: workload.warmup.map(prepare),
  };
}
