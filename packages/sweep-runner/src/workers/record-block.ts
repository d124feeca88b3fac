import type { Exchanged } from "../load/recorder.ts";
import type { SpecDecodeCounts } from "@onpar/metrics-client";
import type { RecordedError } from "../record.ts";
import { NO_FINISH, type Finish } from "../stream/finish.ts";
import { UNTOLD, type TraceColumns } from "../stream/stream-trace.ts";
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
const NUMBERS = 23;

/** Room that a block starts with; it doubles. */
const FIRST_EVENTS = 1024;
const FIRST_TEXT = 8192;

/**
 * Takes requests as they end, into the memory that is handed over: nothing of a request outlives its end on the thread that
 * sends, so that there is next to nothing to be moved when its memory is collected.
 */
export class BlockBuilder {
  readonly #requests: number;
  #count = 0;
  #numbers: Float64Array<ArrayBuffer>;
  #endings: Ending[] = [];
  #acceptance: (SpecDecodeCounts | null)[] | null = null;
  #events = 0;
  #atNs: Float64Array<ArrayBuffer>;
  #kinds: Uint8Array<ArrayBuffer>;
  #bytes: Uint32Array<ArrayBuffer>;
  #tokens: Int32Array<ArrayBuffer> | null = null;
  #characters = 0;
  #text: Uint8Array<ArrayBuffer>;

  /** @param requests most that a block holds */
  constructor(requests: number) {
    this.#requests = requests;
    this.#numbers = new Float64Array(requests * NUMBERS);
    this.#atNs = new Float64Array(FIRST_EVENTS);
    this.#kinds = new Uint8Array(FIRST_EVENTS);
    this.#bytes = new Uint32Array(FIRST_EVENTS);
    this.#text = new Uint8Array(FIRST_TEXT);
  }

  get count(): number {
    return this.#count;
  }

  /** Events of all requests. */
  get events(): number {
    return this.#events;
  }

  add({ index, scheduledNs, exchanged }: EndedRequest): void {
    const { outcome, columns, texts } = exchanged;
    const at = this.#count++ * NUMBERS;
    writeNumbers(this.#numbers, at, index, scheduledNs, exchanged);
    this.#numbers[at + NUMBERS - 1] = endingOf(outcome, this.#endings);
    if (outcome.acceptance !== null) this.#acceptance ??= Array.from({ length: this.#count - 1 }, () => null);
    this.#acceptance?.push(outcome.acceptance);
    this.#addEvents(columns);
    this.#addText(texts.reasoning);
    this.#addText(texts.content);
    this.#addText(texts.tool);
  }

  /** The block so far; the builder begins another one. */
  take(): RecordBlock {
    const events = this.#events;
    const block: RecordBlock = {
      count: this.#count,
      numbers: this.#numbers.subarray(0, this.#count * NUMBERS),
      endings: this.#endings,
      acceptance: this.#acceptance,
      atNs: this.#atNs.subarray(0, events),
      kinds: this.#kinds.subarray(0, events),
      bytes: this.#bytes.subarray(0, events),
      tokens: this.#tokens?.subarray(0, events) ?? null,
      text: this.#text.subarray(0, this.#characters),
    };
    // The next one will be about as long.
    const room = Math.max(FIRST_EVENTS, events);
    this.#count = 0;
    this.#numbers = new Float64Array(this.#requests * NUMBERS);
    this.#endings = [];
    this.#acceptance = null;
    this.#events = 0;
    this.#atNs = new Float64Array(room);
    this.#kinds = new Uint8Array(room);
    this.#bytes = new Uint32Array(room);
    this.#tokens = null;
    this.#text = new Uint8Array(Math.max(FIRST_TEXT, this.#characters));
    this.#characters = 0;
    return block;
  }

  #addEvents({ atNs, kinds, bytes, tokens }: TraceColumns): void {
    const from = this.#events;
    const { length } = atNs;
    if (from + length > this.#atNs.length) this.#growEvents(from + length);
    if (tokens !== null) this.#tokens ??= new Int32Array(this.#atNs.length).fill(UNTOLD);
    const own = { atNs: this.#atNs, kinds: this.#kinds, bytes: this.#bytes, tokens: this.#tokens };
    for (let event = 0; event < length; event++) {
      own.atNs[from + event] = atNs[event] ?? 0;
      own.kinds[from + event] = kinds[event] ?? 0;
      own.bytes[from + event] = bytes[event] ?? 0;
    }
    if (tokens !== null && own.tokens !== null) {
      for (let event = 0; event < length; event++) own.tokens[from + event] = tokens[event] ?? UNTOLD;
    }
    this.#events = from + length;
  }

  #growEvents(needed: number): void {
    const room = Math.max(needed, this.#atNs.length * 2);
    this.#atNs = grown(this.#atNs, new Float64Array(room));
    this.#kinds = grown(this.#kinds, new Uint8Array(room));
    this.#bytes = grown(this.#bytes, new Uint32Array(room));
    if (this.#tokens !== null) this.#tokens = grown(this.#tokens, new Int32Array(room).fill(UNTOLD));
  }

  #addText(part: Buffer): void {
    if (part.length === 0) return;
    const needed = this.#characters + part.length;
    if (needed > this.#text.length)
      this.#text = grown(this.#text, new Uint8Array(Math.max(needed, this.#text.length * 2)));
    this.#text.set(part, this.#characters);
    this.#characters = needed;
  }
}

function grown<Column extends { set(from: Column): void }>(before: Column, after: Column): Column {
  after.set(before);
  return after;
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
    const retries = next();
    const { finish, error } = block.endings[next()] ?? NO_ENDING;
    const outcome: Outcome = {
      endNs,
      status,
      connection: isReused === null ? null : isReused === 1 ? "reused" : "new",
      connectNs,
      attempts,
      retries,
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
  numbers[at + 21] = outcome.retries ?? 0;
}
