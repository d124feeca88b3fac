import { CHUNK_LETTERS } from "../records/chunk-series.ts";
import type { ChunkKind, ChunkSeries } from "../record.ts";

/** The text channels of an answer, in the order in which its text is hashed. */
export const CHANNELS = ["reasoning", "content", "tool"] as const;
export type Channel = (typeof CHANNELS)[number];

/** Is told every piece of text as it is read. */
export type OnText = (text: string, channel: Channel) => void;

/** Kinds by their number in the columns of a trace. */
export const CHUNK_KINDS = Object.keys(CHUNK_LETTERS) as readonly ChunkKind[];
const KIND_CODES = new Map(CHUNK_KINDS.map((kind, code) => [kind, code]));
const LETTER_CODES = CHUNK_KINDS.map((kind) => CHUNK_LETTERS[kind].charCodeAt(0));

/** Stands for "not told" in the column of tokens. */
export const UNTOLD = -1;
const FIRST_EVENTS = 16;
const FIRST_TEXT_BYTES = 64;

/**
 * What one stream shows, in columns of numbers and bytes of text: nothing is allocated per event, so that thousands of
 * streams can be read on one thread. Texts are kept as UTF-8; whoever wants them hashed or decoded does it elsewhere.
 */
export class StreamTrace {
  events = 0;
  atNs = new Float64Array(FIRST_EVENTS);
  kinds = new Uint8Array(FIRST_EVENTS);
  bytes = new Uint32Array(FIRST_EVENTS);
  /** Made when the first event tells its tokens. */
  tokens: Int32Array | null = null;
  readonly #texts: Readonly<Record<Channel, TextBytes>> = {
    reasoning: new TextBytes(),
    content: new TextBytes(),
    tool: new TextBytes(),
  };
  readonly #onText: OnText | undefined;

  constructor(onText?: OnText) {
    this.#onText = onText;
  }

  /** Adds one event with its texts. */
  add(
    atNs: number,
    kind: ChunkKind,
    texts: Readonly<Partial<Record<Channel, string>>>,
    tokens: number | null,
  ): void {
    let bytes = 0;
    for (const channel of CHANNELS) {
      const text = texts[channel];
      if (text === undefined || text === "") continue;
      bytes += this.#texts[channel].addText(text);
      this.#onText?.(text, channel);
    }
    this.#mark(atNs, KIND_CODES.get(kind) ?? 0, bytes, tokens);
  }

  /** Adds one event whose only text is `source` from `start` to `end`, valid UTF-8. */
  addBytes(atNs: number, channel: Channel, source: Buffer, start: number, end: number): void {
    this.#texts[channel].addBytes(source, start, end);
    this.#onText?.(source.toString("utf8", start, end), channel);
    this.#mark(atNs, KIND_CODES.get(channel) ?? 0, end - start, null);
  }

  /** The text of a channel so far. */
  text(channel: Channel): Buffer {
    return this.#texts[channel].view();
  }

  #mark(atNs: number, kind: number, bytes: number, tokens: number | null): void {
    const index = this.events++;
    if (index === this.atNs.length) this.#grow();
    this.atNs[index] = atNs;
    this.kinds[index] = kind;
    this.bytes[index] = bytes;
    if (tokens !== null) this.tokens ??= new Int32Array(this.atNs.length).fill(UNTOLD);
    if (this.tokens !== null) this.tokens[index] = tokens ?? UNTOLD;
  }

  #grow(): void {
    const size = this.atNs.length * 2;
    this.atNs = grown(this.atNs, new Float64Array(size));
    this.kinds = grown(this.kinds, new Uint8Array(size));
    this.bytes = grown(this.bytes, new Uint32Array(size));
    if (this.tokens !== null) this.tokens = grown(this.tokens, new Int32Array(size).fill(UNTOLD));
  }
}

/** Columns of a trace, or a part of longer ones. */
export interface TraceColumns {
  readonly atNs: Float64Array;
  readonly kinds: Uint8Array;
  readonly bytes: Uint32Array;
  readonly tokens: Int32Array | null;
}

/** The columns as a record holds them. */
export function seriesOf({ atNs, kinds, bytes, tokens }: TraceColumns, events: number): ChunkSeries {
  let before = 0;
  const letters = new Uint8Array(events);
  const gapsNs: number[] = [];
  const sizes: number[] = [];
  for (let index = 0; index < events; index++) {
    const at = atNs[index] ?? 0;
    gapsNs.push(at - before);
    before = at;
    letters[index] = LETTER_CODES[kinds[index] ?? 0] ?? 0;
    sizes.push(bytes[index] ?? 0);
  }
  const told = tokens !== null && tokens.subarray(0, events).some((count) => count !== UNTOLD);
  return {
    kinds: Buffer.from(letters.buffer).toString("latin1"),
    gapsNs,
    bytes: sizes,
    tokens: told
      ? Array.from(tokens.subarray(0, events), (count) => (count === UNTOLD ? null : count))
      : null,
  };
}

/** Text of one channel as UTF-8. */
class TextBytes {
  #buffer: Buffer = NO_BYTES;
  #length = 0;
  /** The first half of a surrogate pair whose second half may come with the next chunk. */
  #carry = "";

  /** Bytes of `text` by itself. */
  addText(text: string): number {
    const own = Buffer.byteLength(text);
    let whole = this.#carry === "" ? text : this.#carry + text;
    this.#carry = "";
    const last = whole.charCodeAt(whole.length - 1);
    if (last >= 0xd800 && last <= 0xdbff) {
      this.#carry = whole.slice(-1);
      whole = whole.slice(0, -1);
    }
    const length = Buffer.byteLength(whole);
    this.#reserve(length);
    this.#buffer.write(whole, this.#length, "utf8");
    this.#length += length;
    return own;
  }

  addBytes(source: Buffer, start: number, end: number): void {
    if (this.#carry !== "") this.#flush();
    this.#reserve(end - start);
    const buffer = this.#buffer;
    let at = this.#length;
    for (let index = start; index < end; index++) buffer[at++] = source[index] ?? 0;
    this.#length = at;
  }

  view(): Buffer {
    if (this.#carry !== "") this.#flush();
    return this.#buffer.subarray(0, this.#length);
  }

  /** Half a character that stays alone becomes the replacement character, as it does wherever text is encoded. */
  #flush(): void {
    const half = this.#carry;
    this.#carry = "";
    this.#reserve(3);
    this.#length += this.#buffer.write(half, this.#length, "utf8");
  }

  #reserve(bytes: number): void {
    const wanted = this.#length + bytes;
    if (wanted <= this.#buffer.length) return;
    const next = Buffer.allocUnsafeSlow(Math.max(FIRST_TEXT_BYTES, wanted, this.#buffer.length * 2));
    this.#buffer.copy(next, 0, 0, this.#length);
    this.#buffer = next;
  }
}

const NO_BYTES = Buffer.alloc(0);

function grown<T extends Float64Array | Uint8Array | Uint32Array | Int32Array>(old: T, next: T): T {
  next.set(old);
  return next;
}
