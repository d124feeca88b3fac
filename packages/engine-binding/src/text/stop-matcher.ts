/** What a piece of text became after the stop strings were looked for. */
export interface StopMatch {
  /** Text that may be shown now. */
  readonly text: string;
  /** The stop string that was found, or null. */
  readonly matched: string | null;
}

/**
 * Looks for stop strings in text that arrives in pieces, across their borders. A tail that could still become a stop
 * string is held back; when one is found, neither it nor what follows is shown. Of several matches the one that starts
 * first counts, and of those that start together the one listed first.
 */
export class StopMatcher {
  readonly #stops: readonly string[];
  #held = "";

  constructor(stops: readonly string[]) {
    this.#stops = stops;
  }

  /** @param mayEnd false while a match must be ignored (fewer output tokens than `minTokens`); the text is then shown. */
  push(piece: string, mayEnd: boolean): StopMatch {
    if (this.#stops.length === 0) return { text: piece, matched: null };
    const text = this.#held + piece;
    const found = mayEnd ? this.#find(text) : null;
    if (found !== null) {
      this.#held = "";
      return { text: text.slice(0, found.index), matched: found.stop };
    }
    const shown = text.length - this.#heldLength(text);
    this.#held = text.slice(shown);
    return { text: text.slice(0, shown), matched: null };
  }

  /** The text held back, to be shown because nothing follows. */
  flush(): string {
    const held = this.#held;
    this.#held = "";
    return held;
  }

  #find(text: string): { index: number; stop: string } | null {
    let best: { index: number; stop: string } | null = null;
    for (const stop of this.#stops) {
      const index = text.indexOf(stop);
      if (index >= 0 && (best === null || index < best.index)) best = { index, stop };
    }
    return best;
  }

  /** Length of the longest tail that is a proper beginning of a stop string. */
  #heldLength(text: string): number {
    let longest = 0;
    for (const stop of this.#stops) {
      for (let length = Math.min(stop.length - 1, text.length); length > longest; length--) {
        if (text.endsWith(stop.slice(0, length))) {
          longest = length;
          break;
        }
      }
    }
    return longest;
  }
}
