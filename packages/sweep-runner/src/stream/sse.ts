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
 * @throws {SseOverflowError} from `push`
 */
export function createSseReader(onEvent: (event: SseEvent) => void, maxEventBytes = 16 * 2 ** 20): SseReader {
  /** The beginning of a line whose end has not come yet. */
  let rest: Buffer[] = [];
  let restBytes = 0;
  let data: string | null = null;
  let name = "";
  let eventBytes = 0;
  /** The last byte was CR: a LF that follows belongs to it. */
  let afterCr = false;
  let started = false;
  /** Streams with CR are rare: one is looked for only once per read. */
  let searched: Buffer | null = null;
  let nextCr = -1;

  const dispatch = (atNs: number, cutOff: boolean): boolean => {
    const event = data === null ? null : { name, data, atNs, cutOff };
    data = null;
    name = "";
    eventBytes = 0;
    if (event !== null) onEvent(event);
    return event !== null;
  };

  const addData = (value: string): void => {
    data = data === null ? value : `${data}\n${value}`;
  };

  const field = (line: Buffer, start: number, end: number): void => {
    const colon = line.indexOf(COLON, start);
    const nameEnd = colon === -1 || colon >= end ? end : colon;
    let valueStart = Math.min(nameEnd + 1, end);
    if (valueStart < end && line[valueStart] === SPACE) valueStart++;
    switch (line.toString("latin1", start, Math.min(nameEnd, start + 8))) {
      case "data":
        return addData(line.toString("utf8", valueStart, end));
      case "event":
        name = line.toString("utf8", valueStart, end);
        return;
      case "error":
        name = "error";
        return addData(line.toString("utf8", valueStart, end));
      default:
    }
  };

  /** True when the line ended an event. */
  const takeLine = (bytes: Buffer, start: number, end: number, atNs: number): boolean => {
    let line = bytes;
    let from = start;
    let to = end;
    if (restBytes > 0) {
      rest.push(bytes.subarray(start, end));
      line = Buffer.concat(rest);
      from = 0;
      to = line.length;
      rest = [];
      restBytes = 0;
    }
    if (!started) {
      started = true;
      if (to - from >= 3 && line[from] === 0xef && line[from + 1] === 0xbb && line[from + 2] === 0xbf)
        from += 3;
    }
    if (from === to) return dispatch(atNs, false);
    eventBytes += to - from;
    if (eventBytes > maxEventBytes) throw new SseOverflowError(maxEventBytes);
    if (line[from] !== COLON) field(line, from, to);
    return false;
  };

  const read = (bytes: Buffer, from: number, atNs: number): number => {
    let position = from;
    if (afterCr && position < bytes.length) {
      afterCr = false;
      if (bytes[position] === LF) position++;
    }
    if (bytes !== searched) {
      searched = bytes;
      nextCr = bytes.indexOf(CR, position);
    }
    while (position < bytes.length) {
      const lf = bytes.indexOf(LF, position);
      if (nextCr !== -1 && nextCr < position) nextCr = bytes.indexOf(CR, position);
      let ended = false;
      if (nextCr !== -1 && (lf === -1 || nextCr < lf)) {
        ended = takeLine(bytes, position, nextCr, atNs);
        position = nextCr + 1;
        if (position === bytes.length) afterCr = true;
        else if (bytes[position] === LF) position++;
      } else if (lf !== -1) {
        ended = takeLine(bytes, position, lf, atNs);
        position = lf + 1;
      } else {
        rest.push(bytes.subarray(position));
        restBytes += bytes.length - position;
        if (restBytes + eventBytes > maxEventBytes) throw new SseOverflowError(maxEventBytes);
        return bytes.length;
      }
      if (ended) return position;
    }
    return position;
  };

  return {
    read,
    push(bytes, atNs) {
      for (let from = 0; from < bytes.length;) from = read(bytes, from, atNs);
    },
    get betweenEvents() {
      return started && restBytes === 0 && data === null && name === "" && !afterCr && eventBytes === 0;
    },
    end(atNs) {
      if (restBytes > 0) takeLine(EMPTY, 0, 0, atNs);
      dispatch(atNs, true);
    },
  };
}
