import type { RequestRecord } from "../record.ts";

/** Counts turns that were not sent because an earlier one of their conversation had no answer. */
export class CutTurns {
  count = 0;
  /** Conversations with a turn that has no answer, as they are replayed in each repetition. */
  readonly #unanswered = new Set<string>();

  add({ state, turn, repetition }: RequestRecord): void {
    if (turn === null || state === "ok" || state === "aborted") return;
    const conversation = `${repetition} ${turn.conversation}`;
    if (state === "failed") this.#unanswered.add(conversation);
    else if (this.#unanswered.has(conversation)) this.count++;
  }
}
