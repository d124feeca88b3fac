import type { StreamEvent } from "./stream-event.ts";
import { parseJson } from "./server-message.ts";
import type { Channel, StreamTrace } from "./stream-trace.ts";

/**
 * The events of a stream differ in their text and in nothing else, as long as the server sends text. So one event that
 * was read in full is a template for those after it: bytes before the text, the text, bytes after it. An event with the
 * same bytes around a text that is a valid body of a JSON string parses to the same values, but for that text: it needs
 * no JSON parser. Everything else is read in full.
 */
export interface TextTemplate {
  /** From the beginning of the line to the quote that opens the text. */
  readonly prefix: Buffer;
  /** From the quote that closes the text to the end of the blank line. */
  readonly suffix: Buffer;
  readonly channel: Channel;
}

const QUOTE = 34;
const BACKSLASH = 92;
const LF = 10;
/** Cannot be the value of any other field by chance. */
const MARKER = "\u2603onpar\u2603";
/** Places of the text that are tried; it may occur elsewhere in the event, too. */
const TRIES = 4;

/**
 * The template in an event that was read in full, or null when it is none: it carries anything beside its text, or its
 * text stands there in another spelling. A candidate is proved by reading it again with another text in its place.
 *
 * @param raw the bytes of the event from the beginning of its first line to the end of its blank line
 * @param read reads the data of an event; must depend on nothing else
 */
export function learnTemplate(
  raw: Buffer,
  event: StreamEvent,
  read: (json: unknown) => StreamEvent,
): TextTemplate | null {
  const channel = onlyChannel(event);
  if (channel === null || raw.at(-1) !== LF || raw.subarray(0, 5).toString("latin1") !== "data:") return null;
  const literal = JSON.stringify(event[channel]);
  for (let at = raw.indexOf(literal), tries = 0; at !== -1 && tries < TRIES; tries++) {
    const prefix = raw.subarray(0, at + 1);
    const suffix = raw.subarray(at + Buffer.byteLength(literal) - 1);
    const line = Buffer.concat([prefix, Buffer.from(MARKER), suffix]).toString("utf8");
    if (isOneDataLine(line)) {
      const json = parseJson(line.slice("data:".length));
      const marked = json === undefined ? null : read(json);
      if (marked !== null && marked[channel] === MARKER && onlyChannel(marked) === channel)
        return { prefix: Buffer.from(prefix), suffix: Buffer.from(suffix), channel };
    }
    at = raw.indexOf(literal, at + 1);
  }
  return null;
}

/** One line and the blank line after it; between the two line ends there is nothing else. */
function isOneDataLine(text: string): boolean {
  return /^[^\r\n]*(\n\n|\r\n\r\n)$/.test(text);
}

/** The one channel that has text, in an event that carries nothing else. */
function onlyChannel(event: StreamEvent): Channel | null {
  const { reasoning, content, tool, tokenIds, finish, usage, acceptance, error } = event;
  if (tokenIds !== null || finish !== null || usage !== null || acceptance !== null || error !== null)
    return null;
  if (tool !== "" || (reasoning === "") === (content === "")) return null;
  return reasoning === "" ? "content" : "reasoning";
}

/**
 * Reads the events from `from` to `to` that fit the template, one after the other, into the trace.
 *
 * @returns where the first event that does not fit begins, or `to`
 */
export function readByTemplate(
  { prefix, suffix, channel }: TextTemplate,
  trace: StreamTrace,
  bytes: Buffer,
  from: number,
  to: number,
  atNs: number,
): number {
  let position = from;
  // At least one byte of text: an event without text is something else.
  while (position + prefix.length + suffix.length < to) {
    const start = position + prefix.length;
    if (bytes.compare(prefix, 0, prefix.length, position, start) !== 0) return position;
    let plain = true;
    let end = start;
    for (; ; end++) {
      if (end >= to) return position;
      const byte = bytes[end] ?? 0;
      if (byte === QUOTE) break;
      if (byte < 0x20) return position;
      if (byte === BACKSLASH) {
        plain = false;
        end++;
      } else if (byte >= 0x80) plain = false;
    }
    const next = end + suffix.length;
    if (end === start || next > to || bytes.compare(suffix, 0, suffix.length, end, next) !== 0)
      return position;
    if (plain) trace.addBytes(atNs, channel, bytes, start, end);
    else {
      const text = parseJson(bytes.toString("utf8", start - 1, end + 1));
      if (typeof text !== "string") return position;
      trace.add(atNs, channel, { [channel]: text }, null);
    }
    position = next;
  }
  return position;
}
