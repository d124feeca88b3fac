import type { Exchanged } from "../load/recorder.ts";
import type { SpecDecodeCounts } from "@onpar/metrics-client";
import type { RecordedError } from "../record.ts";
import { NO_FINISH, type Finish } from "../stream/finish.ts";
import { UNTOLD } from "../stream/stream-trace.ts";
import type { Outcome } from "../targets/target.ts";

/** One request that has ended, as the worker that sent it knows it. */
export interface EndedRequest {
  /** Its number in the phase. */
  readonly index: number;
  readonly scheduledNs: number;
  readonly exchanged: Exchanged;
}

/**
 * Requests that have ended, in columns: a worker packs them while it waits for sockets, and structured cloning of one
 * object per request would cost more than the request itself. NaN stands for null.
 */
export interface RecordBlock {
  readonly count: number;
  /** {@link NUMBERS} per request. */
  readonly numbers: Float64Array<ArrayBuffer>;
  /** How requests ended; most of a block end alike. */
  readonly endings: readonly Ending[];
  readonly acceptance: readonly (SpecDecodeCounts | null)[] | null;
  readonly atNs: Float64Array<ArrayBuffer>;
  readonly kinds: Uint8Array<ArrayBuffer>;
  readonly bytes: Uint32Array<ArrayBuffer>;
  readonly tokens: Int32Array<ArrayBuffer> | null;
  /** Texts of all requests, UTF-8: of each one reasoning, content, tool. */
  readonly text: Uint8Array<ArrayBuffer>;
}

/** Finish reason and error of requests. */
interface Ending {
  readonly finish: Finish;
  readonly error: RecordedError | null;
}

/** Numbers of a request in the order of their columns. */
const NUMBERS = 22;

export function packBlock(ended: readonly EndedRequest[]): RecordBlock {
  let events = 0;
  let textBytes = 0;
  let hasTokens = false;
  let hasAcceptance = false;
  for (const { exchanged } of ended) {
    const { texts } = exchanged;
    events += exchanged.columns.atNs.length;
    textBytes += texts.reasoning.length + texts.content.length + texts.tool.length;
    hasTokens ||= exchanged.columns.tokens !== null;
    hasAcceptance ||= exchanged.outcome.acceptance !== null;
  }
  const numbers = new Float64Array(ended.length * NUMBERS);
  const atNs = new Float64Array(events);
  const kinds = new Uint8Array(events);
  const bytes = new Uint32Array(events);
  const tokens = hasTokens ? new Int32Array(events).fill(UNTOLD) : null;
  const text = new Uint8Array(textBytes);
  const endings: Ending[] = [];
  let event = 0;
  let character = 0;
  for (const [slot, { index, scheduledNs, exchanged }] of ended.entries()) {
    const { outcome, columns, texts } = exchanged;
    writeNumbers(numbers, slot * NUMBERS, index, scheduledNs, exchanged);
    numbers[slot * NUMBERS + NUMBERS - 1] = endingOf(outcome, endings);
    atNs.set(columns.atNs, event);
    kinds.set(columns.kinds, event);
    bytes.set(columns.bytes, event);
    if (columns.tokens !== null) tokens?.set(columns.tokens, event);
    event += columns.atNs.length;
    for (const part of [texts.reasoning, texts.content, texts.tool]) {
      text.set(part, character);
      character += part.length;
    }
  }
  const acceptance = hasAcceptance ? ended.map(({ exchanged }) => exchanged.outcome.acceptance) : null;
  return { count: ended.length, numbers, endings, acceptance, atNs, kinds, bytes, tokens, text };
}

/** The memory of a block, to be handed over instead of copied. */
export function memoryOf({ numbers, atNs, kinds, bytes, tokens, text }: RecordBlock): ArrayBuffer[] {
  const columns = [numbers, atNs, kinds, bytes, text, ...(tokens === null ? [] : [tokens])];
  return columns.map(({ buffer }) => buffer);
}

export function* unpackBlock(block: RecordBlock): Generator<EndedRequest> {
  let event = 0;
  let character = 0;
  const text = Buffer.from(block.text.buffer, block.text.byteOffset, block.text.byteLength);
  for (let slot = 0; slot < block.count; slot++) {
    let column = slot * NUMBERS;
    const next = (): number => block.numbers[column++] ?? NaN;
    const nullable = (): number | null => {
      const value = next();
      return Number.isNaN(value) ? null : value;
    };
    const take = (length: number): Buffer => text.subarray(character, (character += length));
    const index = next();
    const scheduledNs = next();
    const sentNs = nullable();
    const headersNs = nullable();
    const endNs = next();
    const status = nullable();
    const isReused = nullable();
    const connectNs = nullable();
    const attempts = next();
    const retryAfterS = nullable();
    const tokenIdCount = nullable();
    const ending = next();
    const events = next();
    const texts = { reasoning: take(next()), content: take(next()), tool: take(next()) };
    const hasUsage = next() === 1;
    const usage = {
      promptTokens: nullable(),
      completionTokens: nullable(),
      cachedPromptTokens: nullable(),
      reasoningTokens: nullable(),
    };
    const { finish, error } = block.endings[next()] ?? NO_ENDING;
    const outcome: Outcome = {
      endNs,
      status,
      connection: isReused === null ? null : isReused === 1 ? "reused" : "new",
      connectNs,
      attempts,
      retryAfterS,
      finish,
      usage: hasUsage ? usage : null,
      tokenIdCount,
      acceptance: block.acceptance?.[slot] ?? null,
      firstEosIndex: null,
      error,
      aborted: ending === ABORTED,
      dropped: ending === DROPPED,
    };
    const columns = {
      atNs: block.atNs.subarray(event, event + events),
      kinds: block.kinds.subarray(event, event + events),
      bytes: block.bytes.subarray(event, event + events),
      tokens: block.tokens?.subarray(event, event + events) ?? null,
    };
    event += events;
    yield { index, scheduledNs, exchanged: { sentNs, headersNs, outcome, columns, texts } };
  }
}

const ENDED = 0;
const ABORTED = 1;
const DROPPED = 2;
const NO_ENDING: Ending = { finish: NO_FINISH, error: null };

/** The place of an ending in the table, where it is entered if it is new. */
function endingOf({ finish, error }: Outcome, endings: Ending[]): number {
  for (let index = 0; index < endings.length; index++) {
    const known = endings[index];
    if (known === undefined || known.finish.raw !== finish.raw || known.finish.reason !== finish.reason)
      continue;
    if (known.error?.kind === error?.kind && known.error?.message === error?.message) return index;
  }
  return endings.push({ finish, error }) - 1;
}

/** Number by number: an array per request would be one more thing to collect. */
function writeNumbers(
  numbers: Float64Array,
  at: number,
  index: number,
  scheduledNs: number,
  exchanged: Exchanged,
): void {
  const { sentNs, headersNs, outcome, columns, texts } = exchanged;
  const { usage, connection } = outcome;
  numbers[at] = index;
  numbers[at + 1] = scheduledNs;
  numbers[at + 2] = sentNs ?? NaN;
  numbers[at + 3] = headersNs ?? NaN;
  numbers[at + 4] = outcome.endNs;
  numbers[at + 5] = outcome.status ?? NaN;
  numbers[at + 6] = connection === null ? NaN : connection === "reused" ? 1 : 0;
  numbers[at + 7] = outcome.connectNs ?? NaN;
  numbers[at + 8] = outcome.attempts ?? (sentNs === null ? 0 : 1);
  numbers[at + 9] = outcome.retryAfterS ?? NaN;
  numbers[at + 10] = outcome.tokenIdCount ?? NaN;
  numbers[at + 11] = outcome.dropped === true ? DROPPED : outcome.aborted ? ABORTED : ENDED;
  numbers[at + 12] = columns.atNs.length;
  numbers[at + 13] = texts.reasoning.length;
  numbers[at + 14] = texts.content.length;
  numbers[at + 15] = texts.tool.length;
  numbers[at + 16] = usage === null ? 0 : 1;
  numbers[at + 17] = usage?.promptTokens ?? NaN;
  numbers[at + 18] = usage?.completionTokens ?? NaN;
  numbers[at + 19] = usage?.cachedPromptTokens ?? NaN;
  numbers[at + 20] = usage?.reasoningTokens ?? NaN;
}
