import { isUtf8 } from "node:buffer";
import { createReadStream } from "node:fs";

/** A line of a text file. */
export interface TextLine {
  /** From 1. */
  readonly number: number;
  /** Without its end. */
  readonly text: string;
}

/** A line longer than a reader takes. */
export class LineTooLongError extends Error {
  readonly line: number;

  constructor(line: number, maxBytes: number) {
    super(`the line is longer than ${maxBytes} bytes`);
    this.name = "LineTooLongError";
    this.line = line;
  }
}

/** A line that is not UTF-8. */
export class LineEncodingError extends Error {
  readonly line: number;

  constructor(line: number) {
    super("not UTF-8: save the file in that encoding");
    this.name = "LineEncodingError";
    this.line = line;
  }
}

const LF = 0x0a;
const READ_BYTES = 2 ** 18;

/**
 * Lines of a UTF-8 file, ended by LF or CRLF and by nothing else: JSON may hold U+2028. A byte-order mark is left out. No
 * more than one line and one read are in memory. Bytes that are not UTF-8 become U+FFFD, as in a line that a kill cut off,
 * unless `strict` refuses them.
 *
 * @throws {LineTooLongError}, with `strict` {@link LineEncodingError}, and what the file system throws
 */
export async function* readLines(
  path: string,
  maxBytes: number,
  { strict = false }: { readonly strict?: boolean } = {},
): AsyncGenerator<TextLine, void, void> {
  let parts: Buffer[] = [];
  let bytes = 0;
  let number = 1;
  const add = (part: Buffer): void => {
    bytes += part.length;
    if (bytes > maxBytes) throw new LineTooLongError(number, maxBytes);
    parts.push(part);
  };
  const take = (): TextLine => {
    const [only] = parts;
    const joined = parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
    if (strict && !isUtf8(joined)) throw new LineEncodingError(number);
    const whole = joined.toString("utf8");
    const line = { number, text: (number === 1 ? whole.replace(/^\uFEFF/, "") : whole).replace(/\r$/, "") };
    parts = [];
    bytes = 0;
    number++;
    return line;
  };
  for await (const chunk of createReadStream(path, { highWaterMark: READ_BYTES }) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
      add(chunk.subarray(start, end));
      yield take();
      start = end + 1;
    }
    add(chunk.subarray(start));
  }
  if (bytes > 0) yield take();
}
