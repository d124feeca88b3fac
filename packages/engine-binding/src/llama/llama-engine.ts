import type { EngineInfo, FinishReason, TokenBatch } from "../engine.ts";
import { EngineError } from "../errors.ts";
import type { CheckedRequest } from "../request.ts";
import { chooseSlot } from "../slot-choice.ts";
import { SpeculationTally } from "../speculation/acceptance.ts";
import { AcceptanceEstimate } from "../speculation/draft-length.ts";
import type { GrammarSource } from "./grammars.ts";
import { Job } from "./job.ts";
import type { LlamaCounters } from "./llama-counters.ts";
import { messageOf } from "./node-llama.ts";
import type { Slot } from "./slot.ts";
import { StepTokens } from "./step-tokens.ts";
import { runDraft, runTarget, settle, verify, type Gates } from "./step.ts";
import { planStep, type StepLimits, type Turn } from "./turn.ts";

/** What a loaded engine is made of. */
export interface LlamaEngineParts {
  readonly info: EngineInfo;
  readonly eosTokenIds: readonly number[];
  readonly slots: readonly Slot[];
  readonly gates: Gates;
  readonly limits: StepLimits;
  readonly grammars: GrammarSource;
  readonly detokenize: (tokens: readonly number[]) => string;
  /** Frees contexts and models. */
  readonly free: () => Promise<void>;
}

/**
 * llama.cpp, in the thread that it was loaded in. All slots move in common steps: first the draft model proposes for every slot that decodes, then
 * the target verifies the proposals, takes next tokens and reads a piece of the prompts.
 */
export class LlamaEngine {
  readonly info: EngineInfo;
  readonly #parts: LlamaEngineParts;
  readonly #waiting: Job[] = [];
  readonly #tally: SpeculationTally | null;
  readonly #finished: Record<FinishReason, number> = {
    eos: 0,
    "stop-string": 0,
    "stop-token": 0,
    length: 0,
    abort: 0,
  };
  /** Called when the counters have changed without a batch that says so. */
  onProgress: (() => void) | null = null;
  #promptTokens = 0;
  #outputTokens = 0;
  #prefixQueries = 0;
  #prefixHits = 0;
  readonly #steps = new StepTokens();
  #releases = 0;
  #running: Promise<void> | null = null;
  #disposal: Promise<void> | null = null;
  #broken: EngineError | null = null;

  constructor(parts: LlamaEngineParts) {
    this.#parts = parts;
    this.info = parts.info;
    const speculation = parts.info.speculation;
    this.#tally = speculation === null ? null : new SpeculationTally(speculation.draftBudget);
  }

  /** A request takes its place in the queue when the first batch is asked for; errors surface there too. */
  async *generate(request: CheckedRequest, signal?: AbortSignal): AsyncGenerator<TokenBatch, void, void> {
    this.#ensureAlive();
    const { eosTokenIds, detokenize, grammars } = this.#parts;
    const queuedAtNs = process.hrtime.bigint();
    const grammar = request.format === null ? null : await grammars.start(request.format);
    // it may have ended meanwhile
    this.#ensureAlive();
    const draftBudget = this.#parts.info.speculation?.draftBudget ?? 0;
    const acceptance = this.#parts.limits.adaptive?.begin() ?? new AcceptanceEstimate();
    const job = new Job({
      request,
      eosTokenIds,
      draftBudget,
      grammar,
      acceptance,
      detokenize,
      queuedAtNs,
    });
    const abort = (): void => this.#abort(job);
    signal?.addEventListener("abort", abort, { once: true });
    try {
      this.#waiting.push(job);
      if (signal?.aborted === true) this.#abort(job);
      else this.#wake();
      for (;;) {
        const batch = await job.stream.next();
        yield batch;
        if (batch.finish !== undefined) return;
      }
    } finally {
      signal?.removeEventListener("abort", abort);
      this.#abort(job);
    }
  }

  counters(): LlamaCounters {
    return {
      promptTokens: this.#promptTokens,
      outputTokens: this.#outputTokens,
      prefixCacheQueries: this.#prefixQueries,
      prefixCacheHits: this.#prefixHits,
      requestsRunning: this.#parts.slots.filter((slot) => slot.job !== null).length,
      requestsWaiting: this.#waiting.length,
      requestsFinished: { ...this.#finished, unknown: 0 },
      speculation: this.#tally?.snapshot() ?? null,
      stepTokens: this.#steps.counts,
    };
  }

  resetPrefixCache(): Promise<void> {
    this.#ensureAlive();
    for (const slot of this.#parts.slots) slot.forget();
    // who wants to begin anew does not want what was learnt either
    this.#parts.limits.adaptive?.reset();
    return Promise.resolve();
  }

  dispose(): Promise<void> {
    this.#disposal ??= this.#dispose();
    return this.#disposal;
  }

  async #dispose(): Promise<void> {
    // each takes itself out of the queue
    for (let job = this.#waiting[0]; job !== undefined; job = this.#waiting[0]) this.#abort(job);
    for (const slot of this.#parts.slots) if (slot.job !== null) this.#abort(slot.job);
    await this.#running;
    await this.#parts.free();
  }

  #ensureAlive(): void {
    if (this.#disposal !== null) {
      throw new EngineError("ENGINE_DISPOSED", "the engine was disposed: load it again to use it");
    }
    if (this.#broken !== null) throw this.#broken;
  }

  /** Ends a waiting request at once, and a running one after the step that is under way. */
  #abort(job: Job): void {
    if (job.ended) return;
    job.aborted = true;
    const index = this.#waiting.indexOf(job);
    if (index < 0) return;
    this.#waiting.splice(index, 1);
    this.#end(job, "abort", null, [], "", process.hrtime.bigint());
  }

  #wake(): void {
    this.#running ??= this.#run()
      .catch((cause: unknown) => this.#break(cause))
      .finally(() => {
        this.#running = null;
        if (this.#waiting.length > 0) this.#wake();
      });
  }

  async #run(): Promise<void> {
    for (;;) {
      await this.#admit();
      this.onProgress?.();
      const slots = this.#parts.slots.filter((slot) => slot.job !== null);
      if (slots.length === 0) return;
      await this.#step(planStep(slots, this.#parts.limits));
    }
  }

  async #admit(): Promise<void> {
    for (const slot of this.#parts.slots) {
      if (slot.job?.aborted !== true) continue;
      const { job } = slot;
      await this.#release(slot);
      this.#end(job, "abort", null, [], job.output.flush(), process.hrtime.bigint());
    }
    for (;;) {
      const free = this.#parts.slots.filter((slot) => slot.job === null);
      const job = free.length === 0 ? undefined : this.#waiting.shift();
      if (job === undefined) return;
      const { prompt, cachePrompt, cacheSalt } = job.request;
      const choice = chooseSlot(free, cachePrompt ? prompt : [], cacheSalt);
      if (choice === null) return;
      // the last prompt token is always evaluated: the first output token is chosen after it
      job.cachedPromptTokens = Math.min(choice.common, prompt.length - 1);
      job.startedAtNs = process.hrtime.bigint();
      if (cachePrompt) {
        this.#prefixQueries += prompt.length;
        this.#prefixHits += job.cachedPromptTokens;
      }
      try {
        await choice.slot.start(job, job.cachedPromptTokens);
      } catch (error) {
        await this.#fail(choice.slot, job, error);
      }
    }
  }

  async #step(turns: readonly Turn[]): Promise<void> {
    const { target, draft } = this.#parts.gates;
    if (draft !== null) await runDraft(turns, draft);
    await runTarget(turns, target);
    const before = this.#promptTokens + this.#outputTokens;
    for (const turn of turns) {
      try {
        if (turn.error !== null) throw turn.error;
        if (turn.generates) await this.#apply(turn);
      } catch (error) {
        await this.#fail(turn.slot, turn.job, error);
      }
    }
    this.#steps.add(this.#promptTokens + this.#outputTokens - before);
  }

  async #apply(turn: Turn): Promise<void> {
    const { slot, job } = turn;
    const before = job.tokens.length;
    const { tokens, accepted } = await verify(turn);
    for (const token of tokens) job.tokens.push(token);
    job.penalties.push(tokens);
    if (job.firstTokenAtNs === null) {
      job.firstTokenAtNs = turn.producedAtNs;
      this.#promptTokens += job.promptTokens;
    }
    await settle(turn, accepted, before, [job.tally, this.#tally, this.#parts.limits.adaptive]);
    const piece = job.output.push(tokens);
    this.#outputTokens += piece.tokenIds.length;
    if (piece.end === null && !job.aborted) {
      job.stream.push({
        tokenIds: piece.tokenIds,
        text: piece.text,
        producedAtNs: turn.producedAtNs,
        ...logprobsFor(turn, piece.tokenIds),
      });
      return;
    }
    const { reason, matched } = piece.end ?? { reason: "abort", matched: null };
    const text = piece.end === null ? piece.text + job.output.flush() : piece.text;
    // first the slot: whoever sees the end may count on it
    await this.#release(slot);
    this.#end(
      job,
      reason,
      matched,
      piece.tokenIds,
      text,
      turn.producedAtNs,
      logprobsFor(turn, piece.tokenIds),
    );
  }

  #end(
    job: Job,
    reason: FinishReason,
    matched: string | number | null,
    tokenIds: readonly number[],
    text: string,
    producedAtNs: bigint,
    logprobs: Pick<TokenBatch, "logprobs"> = {},
  ): void {
    job.ended = true;
    this.#finished[reason]++;
    const finish = job.finish(reason, matched, producedAtNs);
    job.stream.push({ tokenIds, text, producedAtNs, ...logprobs, finish });
  }

  async #release(slot: Slot): Promise<void> {
    await slot.release(++this.#releases);
  }

  async #fail(slot: Slot, job: Job, cause: unknown): Promise<void> {
    job.ended = true;
    job.stream.fail(
      cause instanceof EngineError
        ? cause
        : new EngineError("ENGINE_FAILED", `llama.cpp failed: ${messageOf(cause)}`, { cause }),
    );
    await slot.reset();
  }

  /** Nothing can be decoded any more: what waits or runs fails, and so does every later request. */
  #break(cause: unknown): void {
    this.#broken = new EngineError(
      "ENGINE_FAILED",
      `llama.cpp failed and did not recover: ${messageOf(cause)} (load the engine again)`,
      { cause },
    );
    const jobs = this.#waiting.splice(0);
    for (const { job } of this.#parts.slots) if (job !== null) jobs.push(job);
    for (const job of jobs) {
      job.ended = true;
      job.stream.fail(this.#broken);
    }
  }
}

/** The log-probabilities of what became output: none of drafts after it. */
function logprobsFor({ job, logprobs }: Turn, tokenIds: readonly number[]): Pick<TokenBatch, "logprobs"> {
  return job.request.logprobs === null ? {} : { logprobs: logprobs.slice(0, tokenIds.length) };
}
