import type { FinishKind, RequestRecord } from "../record.ts";
import { CHUNK_LETTERS } from "../records/chunk-series.ts";

/** What a figure needs of a record; the chunks are in order of arrival. */
export type Timed = Pick<
  RequestRecord,
  "scheduledNs" | "sentNs" | "chunks" | "endNs" | "outputTokens" | "finish"
>;

/** The moments of a stream that figures are made of, ns since the start of the run. */
export interface StreamTimes {
  /** First chunk that carries tokens: reasoning, content or tool call. Null for an answer that came whole. */
  readonly firstNs: number | null;
  /** First chunk that carries tokens of the answer: content or tool call. */
  readonly firstAnswerNs: number | null;
  /** Last output chunk; null where no chunk carries tokens. */
  readonly lastNs: number | null;
  /** Chunks that the output arrived with. */
  readonly outputChunks: number;
}

const REASONING = CHUNK_LETTERS.reasoning.charCodeAt(0);
/** The letter of an answer that came whole. */
export const WHOLE = CHUNK_LETTERS.whole.charCodeAt(0);
const FINISH = CHUNK_LETTERS.finish.charCodeAt(0);

/**
 * Output chunks are those that carry tokens, and the one that says that EOS or a stop string ended the output. That one
 * has no text, because the text is withheld, but the server decoded and counted the token; without it a server would seem
 * faster the shorter its outputs are, and a stream would differ from the same engine in process.
 */
export function withholdsLastToken(reason: FinishKind): boolean {
  return reason === "eos" || reason === "stop" || reason === "stop-string";
}

/** Calls `visit` for each output chunk: arrival (ns), tokens (null when unknown), and whether it carries them itself. */
export function eachOutputChunk(
  { chunks, finish }: Pick<Timed, "chunks" | "finish">,
  visit: (atNs: number, tokens: number | null, carries: boolean, letter: number) => void,
): void {
  const { kinds, gapsNs, bytes, tokens } = chunks;
  const withheld = withholdsLastToken(finish.reason);
  let atNs = 0;
  for (let index = 0; index < gapsNs.length; index++) {
    atNs += gapsNs[index] ?? 0;
    const told = tokens === null ? null : (tokens[index] ?? null);
    const carries = (bytes[index] ?? 0) > 0 || (told ?? 0) > 0;
    const letter = kinds.charCodeAt(index);
    if (carries || (withheld && letter === FINISH)) visit(atNs, told, carries, letter);
  }
}

/** One walk over the chunks of a record. */
export function streamTimes(record: Pick<Timed, "chunks" | "finish">): StreamTimes {
  let firstNs: number | null = null;
  let firstAnswerNs: number | null = null;
  let lastNs: number | null = null;
  let outputChunks = 0;
  let hasOutput = false;
  eachOutputChunk(record, (atNs, _tokens, carries, letter) => {
    outputChunks++;
    lastNs = atNs;
    if (!carries) return;
    hasOutput = true;
    if (letter === WHOLE) return;
    firstNs ??= atNs;
    if (letter !== REASONING) firstAnswerNs ??= atNs;
  });
  return { firstNs, firstAnswerNs, lastNs: hasOutput ? lastNs : null, outputChunks };
}
