import { SseOverflowError, type SseEvent, type SseReader } from "./sse.ts";

const LF = 10;
const CR = 13;

/**
 * Reader of streams with one JSON document per line over bytes; empty lines say nothing, and the last line counts without
 * its line end.
 *
 * @param maxLineBytes bound on one line
 * @throws {SseOverflowError} from `read` and `push`
 */
export function createLineReader(onEvent: (event: SseEvent) => void, maxLineBytes = 16 * 2 ** 20): SseReader {
  let rest: Buffer[] = [];
  let restBytes = 0;

  const take = (last: Buffer, atNs: number, cutOff: boolean): void => {
    const line = restBytes === 0 ? last : Buffer.concat([...rest, last]);
    rest = [];
    restBytes = 0;
    const end = line.at(-1) === CR ? line.length - 1 : line.length;
    if (end > 0) onEvent({ name: "", data: line.toString("utf8", 0, end), atNs, cutOff });
  };

  const read = (bytes: Buffer, from: number, atNs: number): number => {
    const end = bytes.indexOf(LF, from);
    if (restBytes + (end === -1 ? bytes.length : end) - from > maxLineBytes)
      throw new SseOverflowError(maxLineBytes);
    if (end !== -1) {
      take(bytes.subarray(from, end), atNs, false);
      return end + 1;
    }
    rest.push(bytes.subarray(from));
    restBytes += bytes.length - from;
    return bytes.length;
  };

  return {
    read,
    push(bytes, atNs) {
      for (let from = 0; from < bytes.length;) from = read(bytes, from, atNs);
    },
    get betweenEvents() {
      return restBytes === 0;
    },
    end(atNs) {
      if (restBytes > 0) take(EMPTY, atNs, true);
    },
  };
}

const EMPTY = Buffer.alloc(0);
