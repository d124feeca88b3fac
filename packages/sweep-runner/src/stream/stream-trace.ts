import { CHUNK_LETTERS } from "../records/chunk-series.ts";
import type { ChunkKind, ChunkSeries } from "../record.ts";

/** The text channels of an answer, in the order in which its text is hashed. */
export const CHANNELS = ["reasoning", "content", "tool"] as const;
export type Channel = (typeof CHANNELS)[number];

/** Is told every piece of text as it is read. */
export type OnText = (text: string, channel: Channel) => void;

/** Kinds by their number in the columns of a trace. */
const CHUNK_KINDS: readonly ChunkKind[] = [
  "role",
  "reasoning",
  "content",
  "tool",
  "usage",
  "finish",
  "error",
  "done",
  "whole",
  "empty",
];
const KIND_CODES = new Map(CHUNK_KINDS.map((kind, code) => [kind, code]));
const LETTERS = CHUNK_KINDS.map((kind) => CHUNK_LETTERS[kind]);

/** Stands for "not told" in the column of tokens. */
export const UNTOLD = -1;
const FIRST_TEXT_BYTES = 64;
/** From here on a native copy is worth its call. */
const COPIED_BYTES = 48;
const NO_BYTES = Buffer.alloc(0);

/**
 * What one stream shows, in columns of numbers and bytes of text: nothing is allocated per event, so that thousands of
 * streams can be read on one thread. Texts are kept as UTF-8; whoever wants them hashed or decoded does it elsewhere.
 */
export class StreamTrace {
  readonly atNs: number[] = [];
  readonly kinds: number[] = [];
  readonly bytes: number[] = [];
  /** Made when the first event tells its tokens. */
  tokens: number[] | null = null;
  #reasoning: TextBytes | null = null;
  #content: TextBytes | null = null;
  #tool: TextBytes | null = null;
  readonly #onText: OnText | undefined;

  constructor(onText?: OnText) {
    this.#onText = onText;
  }

  get events(): number {
    return this.atNs.length;
  }

  /** Adds one event with its texts. */
  add(
    atNs: number,
    kind: ChunkKind,
    texts: Readonly<Partial<Record<Channel, string>>>,
    tokens: number | null,
  ): void {
    const bytes =
      this.#addText("reasoning", texts.reasoning) +
      this.#addText("content", texts.content) +
      this.#addText("tool", texts.tool);
    this.#mark(atNs, KIND_CODES.get(kind) ?? 0, bytes, tokens);
  }

  /** Adds one event whose only text is `source` from `start` to `end`, valid UTF-8. */
  addBytes(atNs: number, channel: Channel, source: Buffer, start: number, end: number): void {
    this.#text(channel).addBytes(source, start, end);
    this.#onText?.(source.toString("utf8", start, end), channel);
    this.#mark(atNs, KIND_CODES.get(channel) ?? 0, end - start, null);
  }

  /** The text of a channel so far. */
  text(channel: Channel): Buffer {
    const text =
      channel === "content" ? this.#content : channel === "reasoning" ? this.#reasoning : this.#tool;
    return text === null ? NO_BYTES : text.view();
  }

  #text(channel: Channel): TextBytes {
    if (channel === "content") return (this.#content ??= new TextBytes());
    if (channel === "reasoning") return (this.#reasoning ??= new TextBytes());
    return (this.#tool ??= new TextBytes());
  }

  #addText(channel: Channel, text: string | undefined): number {
    if (text === undefined || text === "") return 0;
    this.#onText?.(text, channel);
    return this.#text(channel).addText(text);
  }

  #mark(atNs: number, kind: number, bytes: number, tokens: number | null): void {
    if (tokens !== null) this.tokens ??= this.atNs.map(() => UNTOLD);
    this.tokens?.push(tokens ?? UNTOLD);
    this.atNs.push(atNs);
    this.kinds.push(kind);
    this.bytes.push(bytes);
  }
}

/** Columns of a trace, or a part of longer ones. */
export interface TraceColumns {
  readonly atNs: ArrayLike<number>;
  readonly kinds: ArrayLike<number>;
  readonly bytes: ArrayLike<number>;
  readonly tokens: ArrayLike<number> | null;
}

/** The columns as a record holds them. */
export function seriesOf({ atNs, kinds, bytes, tokens }: TraceColumns): ChunkSeries {
  const gapsNs: number[] = [];
  const sizes: number[] = [];
  const counts: (number | null)[] = [];
  let letters = "";
  let before = 0;
  let told = false;
  for (let index = 0; index < atNs.length; index++) {
    const at = atNs[index] ?? 0;
    gapsNs.push(at - before);
    before = at;
    letters += LETTERS[kinds[index] ?? 0] ?? "";
    sizes.push(bytes[index] ?? 0);
    if (tokens === null) continue;
    const count = tokens[index] ?? UNTOLD;
    counts.push(count === UNTOLD ? null : count);
    told ||= count !== UNTOLD;
  }
  return { kinds: letters, gapsNs, bytes: sizes, tokens: told ? counts : null };
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
    if (end - start > COPIED_BYTES) {
      this.#length += source.copy(this.#buffer, this.#length, start, end);
      return;
    }
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
    const next = Buffer.allocUnsafe(Math.max(FIRST_TEXT_BYTES, wanted, this.#buffer.length * 2));
    this.#buffer.copy(next, 0, 0, this.#length);
    this.#buffer = next;
  }
}
