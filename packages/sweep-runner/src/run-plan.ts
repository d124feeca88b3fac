import { setImmediate } from "node:timers/promises";
import { stoppingRule, type BenchConfig, type ResolvedTemplate } from "@onpar/bench-config";
import { contextFit } from "./context-fit.ts";
import { RunError } from "./errors.ts";
import { preparingCounter, type RunObserver } from "./events.ts";
import { planLoad, startsOf, type LoadPlan, type LoadRequests } from "./load/load-plan.ts";
import type { WorkloadPrompt } from "./prompt.ts";
import type { Session } from "./session.ts";
import type { PreparedRequest } from "./targets/target.ts";
import { buildWorkload, needsTokenizer, type Workload } from "./datasets/workload.ts";

/** What a run is going to send: every request is built before the first one starts. */
export interface RunPlan {
  readonly workload: Workload;
  readonly template: ResolvedTemplate;
  readonly measure: readonly PreparedRequest[];
  readonly warmup: readonly PreparedRequest[];
}

/** Requests built between two looks at anything else: rendering and tokenizing take the thread. */
const REQUESTS_PER_TURN = 64;

/**
 * Makes the prompts and builds every request. The observer is told `preparing`.
 *
 * @throws {RunError} `DATASET_INVALID`, `TEMPLATE_FAILED`, `PROMPT_TOO_LONG` where lengths are known before sending
 */
export async function planRun(
  config: BenchConfig,
  session: Session,
  signal: AbortSignal | undefined,
  observer?: RunObserver,
): Promise<RunPlan> {
  const runCap = stoppingRule(config).cap;
  requireRoomForPrompts(runCap, session);
  const counter = needsTokenizer(config) ? await session.tokenCounter() : null;
  const workload = await buildWorkload(config, counter, signal, observer);
  const prepare = (prompt: WorkloadPrompt): PreparedRequest => {
    const request = session.target.prepare(session.renderer.render(prompt));
    const tokens = request.promptTokens ?? (prompt.kind === "text" ? prompt.tokens : null);
    const cap = prompt.outputTokens ?? runCap;
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
  const built = preparingCounter(observer, "requests", workload.measured.length + workload.warmup.length);
  const prepareAll = async (prompts: readonly WorkloadPrompt[]): Promise<PreparedRequest[]> => {
    const requests: PreparedRequest[] = [];
    for (const prompt of prompts) {
      if (requests.length % REQUESTS_PER_TURN === REQUESTS_PER_TURN - 1) await setImmediate();
      signal?.throwIfAborted();
      requests.push(prepare(prompt));
      built();
    }
    return requests;
  };
  return {
    workload,
    template: session.renderer.template,
    measure: await prepareAll(workload.measured),
    warmup: await prepareAll(workload.warmup),
  };
}

/** Said before any prompt is made: then it is not the prompts that are too long. */
function requireRoomForPrompts(cap: number, { contextLimit, engine }: Session): void {
  if (contextLimit === null || contextFit(1, cap, contextLimit).fits) return;
  throw new RunError(
    "PROMPT_TOO_LONG",
    `--output-len ${cap} leaves no room for a prompt in the context of ${contextLimit} tokens: ` +
      `lower --output-len${engine === null ? "" : " or raise --ctx"}`,
  );
}

/** The measured requests as jobs of the load: a request by itself, or the turns of a conversation that follow each other. */
export function loadRequests(requests: readonly PreparedRequest[]): LoadRequests {
  const jobSizes: number[] = [];
  const arrivalsMs: number[] = [];
  let conversation: string | null = null;
  for (const { turn, arrivalMs } of requests) {
    const own = turn?.conversation ?? null;
    if (own !== null && own === conversation) jobSizes.push((jobSizes.pop() ?? 0) + 1);
    else {
      jobSizes.push(1);
      if (arrivalMs != null) arrivalsMs.push(arrivalMs);
    }
    conversation = own;
  }
  return { jobSizes, traceMs: arrivalsMs.length === jobSizes.length ? arrivalsMs : null };
}

/** The load of every repetition: the same requests, and arrivals of their own. */
export function planRepetitions(
  config: BenchConfig,
  requests: readonly PreparedRequest[],
): readonly LoadPlan[] {
  const jobs = loadRequests(requests);
  return Array.from({ length: config.repetition.reps }, (_, repetition) =>
    planLoad(config, { ...jobs, repetition }),
  );
}

/**
 * What is left of a load when only the requests of these numbers, ascending, are still to be sent: the first of them goes out at
 * once. Turns of one conversation stay one job.
 */
export function planRest(full: LoadPlan, left: readonly number[]): LoadPlan {
  const { dueNs, jobStarts } = full;
  const sizes: number[] = [];
  const dues: number[] = [];
  let next = 0;
  for (let job = 0; job + 1 < jobStarts.length; job++) {
    const from = next;
    while (next < left.length && (left[next] ?? 0) < (jobStarts[job + 1] ?? 0)) next++;
    if (next === from) continue;
    sizes.push(next - from);
    if (dueNs !== null) dues.push(dueNs[job] ?? 0);
  }
  const firstNs = dues[0] ?? 0;
  return {
    ...full,
    jobStarts: startsOf(sizes),
    dueNs: dueNs === null ? null : Float64Array.from(dues, (due) => due - firstNs),
  };
}

/** @throws {RunError} `RECORDS_INVALID` where what is left hangs on answers whose text no record holds */
export function refuseLiveResume(plan: RunPlan): void {
  if (!plan.measure.some(({ waits }) => waits === true)) return;
  throw new RunError(
    "RECORDS_INVALID",
    "later turns of these conversations follow the server's own answers, whose text the records do not hold, so that the run " +
      "cannot go on: leave out --resume to measure anew",
  );
}
