import { commonPrefixLength, type FreeSlot } from "../slot-choice.ts";
import type { CachedSequence } from "./cached-sequence.ts";
import type { Job } from "./job.ts";

/** A place in which one request at a time is decoded: a sequence of the target and, with a draft, one of the draft. */
export class Slot implements FreeSlot {
  /** Place among the slots; sequences are numbered in the same order. */
  readonly index: number;
  readonly target: CachedSequence;
  readonly draft: CachedSequence | null;
  lastUsed = 0;
  salt: string | null = null;
  #job: Job | null = null;
  #forget = false;

  constructor(index: number, target: CachedSequence, draft: CachedSequence | null) {
    this.index = index;
    this.target = target;
    this.draft = draft;
  }

  get job(): Job | null {
    return this.#job;
  }

  get history(): readonly number[] {
    return this.target.history;
  }

  /** @param reuse tokens at the beginning of the prompt whose state is kept */
  async start(job: Job, reuse: number): Promise<void> {
    const { prompt, cachePrompt, cacheSalt } = job.request;
    this.#job = job;
    await this.target.truncate(reuse);
    if (this.draft !== null && this.salt !== cacheSalt) this.draft.history = [];
    this.salt = cacheSalt;
    if (this.draft === null || job.tally === null) return;
    const common = cachePrompt ? commonPrefixLength(this.draft.history, prompt) : 0;
    await this.draft.truncate(common);
  }

  /** Frees the slot and notes what it holds. */
  async release(lastUsed: number): Promise<void> {
    const job = this.#job;
    if (job === null) return;
    await this.target.closeStream();
    this.target.history = job.tokens.slice(0, this.target.length);
    if (this.draft !== null && job.tally !== null) {
      await this.draft.closeStream();
      this.draft.history = job.tokens.slice(0, this.draft.length);
    }
    this.lastUsed = lastUsed;
    this.#job = null;
    if (this.#forget) this.forget();
  }

  /** Frees the slot after a failure: nothing that it holds is certain. */
  async reset(): Promise<void> {
    this.#job = null;
    for (const sequence of [this.target, this.draft]) {
      await sequence?.closeStream();
      await sequence?.clear();
    }
  }

  /** Makes the slot reuse nothing of what it holds. */
  forget(): void {
    this.#forget = this.#job !== null;
    if (this.#forget) return;
    this.target.history = [];
    if (this.draft !== null) this.draft.history = [];
  }
}
