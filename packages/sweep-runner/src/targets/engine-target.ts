import { createHash } from "node:crypto";
import { stoppingRule, type BenchConfig } from "@onpar/bench-config";
import type { Engine, FinishReason, GenerateFinish, GenerateRequest } from "@onpar/engine-binding";
import type { Timeline } from "../clock.ts";
import { messageOf } from "../errors.ts";
import { planOf, type TargetPrompt } from "../prompt.ts";
import { NO_FINISH, type Finish } from "../stream/finish.ts";
import { fillText } from "./live-answers.ts";
import { perCap } from "./output-cap.ts";
import type { FinishKind, RecordedError } from "../record.ts";
import {
  readBody,
  type ExchangeObserver,
  type Outcome,
  type PreparedRequest,
  type Target,
} from "./target.ts";

export interface EngineTargetOptions {
  readonly engine: Engine;
  readonly config: BenchConfig;
  readonly timeoutMs: number;
  readonly timeline: Timeline;
  /** Told the ids of every output whose engine gives them. */
  readonly onTokenIds?: OnTokenIds | undefined;
}

/** Takes the token ids of one output, warm-up included, when it has ended. */
export type OnTokenIds = (promptId: string, tokenIds: readonly number[]) => void;

interface EngineRequest extends PreparedRequest {
  readonly generate: GenerateRequest;
  /** What it was built of. */
  readonly prompt: TargetPrompt;
}

/** Generates on an engine in this process. Chunks are stamped by the engine, where their tokens are produced. */
export function createEngineTarget(options: EngineTargetOptions): Target<EngineRequest> {
  const { engine, config } = options;
  const fieldsOf = perCap(config, generateFields);
  const prepare = (prompt: TargetPrompt): EngineRequest => {
    const fields = fieldsOf(prompt.outputTokens);
    const given = takenPrompt(engine, prompt);
    const generate = { ...given, ...fields };
    const sha256 = createHash("sha256").update(JSON.stringify(generate)).digest("hex");
    const promptTokens = typeof given.prompt === "string" ? null : given.prompt.length;
    return { promptId: prompt.id, sha256, promptTokens, ...planOf(prompt), generate, prompt };
  };
  return {
    prepare,
    fill({ prompt, ...request }, answers) {
      if (prompt.kind !== "text") return { prompt, ...request };
      return prepare({ ...prompt, text: fillText(prompt.text, answers) });
    },
    describe: (request) => readBody(JSON.stringify(request.generate)),
    send: (request, observer, signal) => generate(options, request, observer, signal),
    close: async () => {},
    remote: null,
  };
}

/** Tokens where the engine has a tokenizer; one without takes the text, and knows by itself what goes around it. */
function takenPrompt(
  engine: Engine,
  prompt: TargetPrompt,
): Pick<GenerateRequest, "prompt"> & { addSpecial?: boolean } {
  if (prompt.kind === "conversation") throw new TypeError("the engine takes text, not a conversation");
  if (prompt.kind === "ids") return { prompt: [...prompt.ids] };
  const { text, addSpecialTokens: addSpecial } = prompt;
  return engine.info.capabilities.tokenizer
    ? { prompt: engine.tokenize(text, { addSpecial, parseSpecial: true }) }
    : { prompt: text, addSpecial };
}

function generateFields(config: BenchConfig): Omit<GenerateRequest, "prompt"> {
  const { sampling } = config;
  return {
    maxTokens: stoppingRule(config).cap,
    ...(config.minTokens > 0 ? { minTokens: config.minTokens } : {}),
    ignoreEos: config.ignoreEos,
    ...(config.logprobs === null ? {} : { logprobs: config.logprobs }),
    ...(config.stop.length === 0 ? {} : { stop: [...config.stop] }),
    sampling: { ...sampling, seed: config.seed },
  };
}

async function generate(
  { engine, timeline, timeoutMs, onTokenIds }: EngineTargetOptions,
  { promptId, generate: request }: EngineRequest,
  observer: ExchangeObserver,
  signal: AbortSignal,
): Promise<Outcome> {
  const controller = new AbortController();
  let error: RecordedError | null = null;
  const onAbort = (): void => controller.abort();
  const deadline = setTimeout(() => {
    error = { kind: "timeout", message: `no end of the output within ${timeoutMs} ms` };
    controller.abort();
  }, timeoutMs);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) controller.abort();

  let last: GenerateFinish | null = null;
  let tokenIdCount: number | null = 0;
  const ids: number[] = [];
  observer.sent(timeline.now());
  try {
    for await (const batch of engine.generate(request, controller.signal)) {
      const tokens = batch.tokenIds?.length ?? null;
      tokenIdCount = tokens === null || tokenIdCount === null ? null : tokenIdCount + tokens;
      if (onTokenIds !== undefined) ids.push(...(batch.tokenIds ?? []));
      const carries = batch.text !== "" || (tokens ?? 0) > 0;
      const kind = carries ? "content" : batch.finish === undefined ? "empty" : "finish";
      observer.trace.add(timeline.at(batch.producedAtNs), kind, { content: batch.text }, tokens);
      if (batch.finish !== undefined) last = batch.finish;
    }
  } catch (thrown) {
    error ??= { kind: "engine", message: messageOf(thrown) };
  } finally {
    clearTimeout(deadline);
    signal.removeEventListener("abort", onAbort);
  }
  if (onTokenIds !== undefined && tokenIdCount !== null) onTokenIds(promptId, ids);
  const finished: GenerateFinish | null = last;
  if (finished === null && error === null && !signal.aborted) {
    error = { kind: "engine", message: "the engine ended its stream without saying how" };
  }
  if (finished?.reason === "abort" && error === null && !signal.aborted) {
    error = { kind: "engine", message: "the engine gave the request up" };
  }
  return {
    endNs: finished === null ? timeline.now() : timeline.at(finished.endedAtNs),
    status: null,
    connection: null,
    finish: finished === null || finished.reason === null ? NO_FINISH : finishOf(finished.reason),
    usage:
      finished === null
        ? null
        : {
            promptTokens: finished.promptTokens,
            completionTokens: finished.outputTokens,
            cachedPromptTokens: finished.cachedPromptTokens,
            reasoningTokens: null,
          },
    tokenIdCount,
    acceptance: finished?.speculation ?? null,
    firstEosIndex: finished?.firstEosIndex ?? null,
    error,
    // An output that came to its own end was not aborted, however late the signal.
    aborted: signal.aborted && error === null && (finished === null || finished.reason === "abort"),
  };
}

const FINISH_KINDS: Readonly<Record<FinishReason, FinishKind>> = {
  eos: "eos",
  "stop-string": "stop-string",
  "stop-token": "eos",
  length: "length",
  abort: "abort",
};

function finishOf(reason: FinishReason): Finish {
  return { raw: reason, reason: FINISH_KINDS[reason] };
}
