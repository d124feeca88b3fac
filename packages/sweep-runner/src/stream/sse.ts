/**
 * Reader of event streams (HTML standard, section 9.2.6) over bytes: lines end with LF, CR or CRLF anywhere, a character
 * may be split over reads, comments and unknown fields are skipped. Two liberties that servers make necessary: the
 * last event counts although its blank line never came, and a field named `error` opens an error event.
 */
export interface SseEvent {
  /** The `event` field; empty when there was none. */
  readonly name: string;
  /** `data` lines joined with LF. */
  readonly data: string;
  /** Arrival of the bytes that completed the event, ns. */
  readonly atNs: number;
  /** The stream ended before the blank line of this event came. */
  readonly cutOff: boolean;
}

export interface SseReader {
  /** Feeds bytes that arrived at `atNs`. */
  push(bytes: Buffer, atNs: number): void;
  /**
   * Reads from `from` on to the end of the next event, or of the bytes: the place to go on from. To be called until that
   * is the length of `bytes`.
   */
  read(bytes: Buffer, from: number, atNs: number): number;
  /** Whether the next byte begins a line that begins an event: nothing of one is held back. */
  readonly betweenEvents: boolean;
  /** The stream is over. */
  end(atNs: number): void;
}

/** An event larger than the limit. */
export class SseOverflowError extends Error {
  constructor(limit: number) {
    super(`an event of the stream is larger than ${limit} bytes`);
    this.name = "SseOverflowError";
  }
}

const LF = 10;
const CR = 13;
const COLON = 58;
const SPACE = 32;
const EMPTY = Buffer.alloc(0);

/**
 * @param onEvent called for every event with at least one data line, also when the data is empty
 * @param maxEventBytes bound on one event and on one line
 * @throws {SseOverflowError} from `push` and `read`
 */
export function createSseReader(onEvent: (event: SseEvent) => void, maxEventBytes = 16 * 2 ** 20): SseReader {
  return new EventStreamReader(onEvent, maxEventBytes);
}

class EventStreamReader implements SseReader {
  readonly #onEvent: (event: SseEvent) => void;
  readonly #maxEventBytes: number;
  /** The beginning of a line whose end has not come yet. */
  #rest: Buffer[] | null = null;
  #restBytes = 0;
  #data: string | null = null;
  #name = "";
  #eventBytes = 0;
  /** The last byte was CR: a LF that follows belongs to it. */
  #afterCr = false;
  #started = false;
  /** Streams with CR are rare: one is looked for only once per read. */
  #searched: Buffer | null = null;
  #nextCr = -1;

  constructor(onEvent: (event: SseEvent) => void, maxEventBytes: number) {
    this.#onEvent = onEvent;
    this.#maxEventBytes = maxEventBytes;
  }

  push(bytes: Buffer, atNs: number): void {
    for (let from = 0; from < bytes.length;) from = this.read(bytes, from, atNs);
  }

  get betweenEvents(): boolean {
    return (
      this.#started &&
      this.#restBytes === 0 &&
      this.#data === null &&
      this.#name === "" &&
      !this.#afterCr &&
      this.#eventBytes === 0
    );
  }

  read(bytes: Buffer, from: number, atNs: number): number {
    let position = from;
    if (this.#afterCr && position < bytes.length) {
      this.#afterCr = false;
      if (bytes[position] === LF) position++;
    }
    if (bytes !== this.#searched) {
      this.#searched = bytes;
      this.#nextCr = bytes.indexOf(CR, position);
    }
    while (position < bytes.length) {
      const lf = bytes.indexOf(LF, position);
      if (this.#nextCr !== -1 && this.#nextCr < position) this.#nextCr = bytes.indexOf(CR, position);
      const cr = this.#nextCr;
      let ended = false;
      if (cr !== -1 && (lf === -1 || cr < lf)) {
        ended = this.#takeLine(bytes, position, cr, atNs);
        position = cr + 1;
        if (position === bytes.length) this.#afterCr = true;
        else if (bytes[position] === LF) position++;
      } else if (lf !== -1) {
        ended = this.#takeLine(bytes, position, lf, atNs);
        position = lf + 1;
      } else {
        this.#keep(bytes.subarray(position));
        return bytes.length;
      }
      if (ended) return position;
    }
    return position;
  }

  end(atNs: number): void {
    if (this.#restBytes > 0) this.#takeLine(EMPTY, 0, 0, atNs);
    this.#dispatch(atNs, true);
  }

  #keep(rest: Buffer): void {
    if (this.#rest === null) this.#rest = [rest];
    else this.#rest.push(rest);
    this.#restBytes += rest.length;
    if (this.#restBytes + this.#eventBytes > this.#maxEventBytes)
      throw new SseOverflowError(this.#maxEventBytes);
  }

  /** True when the line ended an event. */
  #takeLine(bytes: Buffer, start: number, end: number, atNs: number): boolean {
    let line = bytes;
    let from = start;
    let to = end;
    if (this.#rest !== null) {
      line = Buffer.concat([...this.#rest, bytes.subarray(start, end)]);
      from = 0;
      to = line.length;
      this.#rest = null;
      this.#restBytes = 0;
    }
    if (!this.#started) {
      this.#started = true;
      if (to - from >= 3 && line[from] === 0xef && line[from + 1] === 0xbb && line[from + 2] === 0xbf)
        from += 3;
    }
    if (from === to) return this.#dispatch(atNs, false);
    this.#eventBytes += to - from;
    if (this.#eventBytes > this.#maxEventBytes) throw new SseOverflowError(this.#maxEventBytes);
    if (line[from] !== COLON) this.#field(line, from, to);
    return false;
  }

  #field(line: Buffer, start: number, end: number): void {
    const colon = line.indexOf(COLON, start);
    const nameEnd = colon === -1 || colon >= end ? end : colon;
    let valueStart = Math.min(nameEnd + 1, end);
    if (valueStart < end && line[valueStart] === SPACE) valueStart++;
    switch (line.toString("latin1", start, Math.min(nameEnd, start + 8))) {
      case "data":
        return this.#addData(line.toString("utf8", valueStart, end));
      case "event":
        this.#name = line.toString("utf8", valueStart, end);
        return;
      case "error":
        this.#name = "error";
        return this.#addData(line.toString("utf8", valueStart, end));
      default:
    }
  }

  #addData(value: string): void {
    this.#data = this.#data === null ? value : `${this.#data}\n${value}`;
  }

  #dispatch(atNs: number, cutOff: boolean): boolean {
    const data = this.#data;
    const name = this.#name;
    this.#data = null;
    this.#name = "";
    this.#eventBytes = 0;
    if (data === null) return false;
    this.#onEvent({ name, data, atNs, cutOff });
    return true;
  }
}
