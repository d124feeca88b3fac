import type { RequestRecord } from "../record.ts";
import { eachOutputChunk } from "../figures/stream-times.ts";

/** Decoding on one side of the natural end of an output. */
export interface DecodePart {
  /** Engine steps that gave tokens. */
  readonly steps: number;
  readonly tokens: number;
  readonly seconds: number;
}

/** An output that went on past its EOS, parted there. */
export interface EosSplit {
  /** From the first token to the step that gave EOS, that step included. */
  readonly before: DecodePart;
  /** All steps after it. */
  readonly after: DecodePart;
}

/**
 * Parts an output that was forced past EOS at the step that gave it. Exact where every chunk is one step and tells its tokens, as
 * in process. The first token comes from the prefill and is in neither part.
 *
 * @returns null where the record does not tell its EOS or its tokens per chunk, or ended at EOS
 */
export function splitAtEos(record: RequestRecord): EosSplit | null {
  const { firstEosIndex } = record;
  if (firstEosIndex === null) return null;
  let seen = 0;
  let lastNs: number | null = null;
  let isKnown = true;
  const before = { steps: 0, tokens: 0, seconds: 0 };
  const after = { steps: 0, tokens: 0, seconds: 0 };
  eachOutputChunk(record, (atNs, tokens, carries) => {
    if (!carries) return;
    if (tokens === null) {
      isKnown = false;
      return;
    }
    if (lastNs !== null) {
      const part = seen <= firstEosIndex ? before : after;
      part.steps++;
      part.tokens += tokens;
      part.seconds += (atNs - lastNs) / 1e9;
    }
    lastNs = atNs;
    seen += tokens;
  });
  return isKnown && after.steps > 0 && before.steps > 0 ? { before, after } : null;
}
