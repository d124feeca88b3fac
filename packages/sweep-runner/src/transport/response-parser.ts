import { parseHead, ProtocolError, type ResponseHead } from "./response-head.ts";

export interface ResponseSink {
  onHead(head: ResponseHead): void;
  /**
   * Bytes of the body from `from` to `to`, in memory that the next read uses again: what can be read in less time than a
   * copy takes may be read here. Returns where that ended; the rest comes with {@link onBody}.
   */
  readInPlace(memory: Buffer, from: number, to: number): number;
  /** Bytes of the body: all that one read brought, without the framing and what was read in place. They belong to the receiver. */
  onBody(bytes: Buffer): void;
  /** @param reusable whether the connection may carry another request */
  onComplete(reusable: boolean): void;
}

/** Bound on the head of an answer and on its trailers, bytes. */
const HEAD_LIMIT = 64 * 1024;
const HTTP = "HTTP/";
const NO_BYTES: Buffer = Buffer.alloc(0);
const CR = 13;
const LF = 10;
/** A longer read is copied and read later: sockets that are ready wait for their stamp meanwhile. */
const IN_PLACE_BYTES = 4096;
/** Hexadecimal digits of a chunk size that fits a safe integer. */
const SIZE_DIGITS = 12;

type State = "head" | "sized" | "chunk-size" | "chunk-data" | "chunk-end" | "trailers" | "until-end" | "done";

/**
 * Parser of HTTP/1.1 answers (RFC 9112), one after the other on a connection. It gives the body of each read in one piece,
 * whatever chunks it came in, and copies nothing else: that is what makes thousands of streams cheap.
 */
export class ResponseParser {
  readonly #sink: ResponseSink;
  #state: State = "head";
  #head: Buffer[] = [];
  #headBytes = 0;
  /** Its last bytes, in which a blank line may have begun. */
  #headTail = NO_BYTES;
  /** Of the body, or of the chunk. */
  #remaining = 0;
  #size = 0;
  #digits = 0;
  #inExtension = false;
  #lineBytes = 0;
  #reusable = true;

  constructor(sink: ResponseSink) {
    this.#sink = sink;
  }

  /** Whether no answer has begun. */
  get idle(): boolean {
    return this.#state === "head" && this.#headBytes === 0;
  }

  /** Whether the end of the connection is the end of the answer. */
  get endsWithConnection(): boolean {
    return this.#state === "until-end";
  }

  /**
   * Reads what has arrived: the first `length` bytes of `memory`, of which nothing is held afterwards.
   *
   * @throws {ProtocolError}
   */
  execute(memory: Buffer, length: number = memory.length): void {
    let position = 0;
    if (this.#state === "head") {
      position = this.#readHeads(memory.subarray(0, length));
      if (this.#state === "head") return;
    }
    if (this.#state !== "done") position = this.#readBody(memory, position, length);
    if (this.#state === "done") this.#finish(length, position);
  }

  #readBody(memory: Buffer, from: number, length: number): number {
    let position = from;
    let body: Buffer | null = null;
    let filled = 0;
    while (position < length && this.#state !== "done") {
      const take = this.#dataBytes(length - position);
      if (take === 0) {
        position = this.#readFraming(memory, position, length);
        continue;
      }
      const end = position + take;
      // What comes after bytes that wait has to wait, too.
      if (body === null && length <= IN_PLACE_BYTES) position = this.#sink.readInPlace(memory, position, end);
      if (position < end) {
        body ??= Buffer.allocUnsafe(length - position);
        filled += memory.copy(body, filled, position, end);
        position = end;
      }
      if (this.#state === "until-end") continue;
      this.#remaining -= take;
      if (this.#remaining === 0) this.#state = this.#state === "sized" ? "done" : "chunk-end";
    }
    if (body !== null) this.#sink.onBody(filled === body.length ? body : body.subarray(0, filled));
    return position;
  }

  /** How many of the next bytes are of the body. */
  #dataBytes(arrived: number): number {
    if (this.#state === "until-end") return arrived;
    const inData = this.#state === "sized" || this.#state === "chunk-data";
    return inData ? Math.min(this.#remaining, arrived) : 0;
  }

  /** The connection has ended; true when that was the end of an answer. */
  end(): boolean {
    if (this.#state !== "until-end") return false;
    this.#reusable = false;
    this.#complete();
    return true;
  }

  #finish(length: number, position: number): void {
    // Nobody asked for what comes after the answer.
    if (position < length) this.#reusable = false;
    this.#complete();
  }

  #complete(): void {
    const reusable = this.#reusable;
    this.#state = "head";
    this.#reusable = true;
    this.#sink.onComplete(reusable);
  }

  /** Reads heads until one opens an answer; answers of the kind 1xx are passed over. */
  #readHeads(bytes: Buffer): number {
    let position = 0;
    while (this.#state === "head" && position < bytes.length) {
      const end = this.#endOfHead(bytes, position);
      if (end === -1) {
        // The memory of a read is used again for the next one.
        this.#keepHead(Buffer.from(bytes.subarray(position)));
        return bytes.length;
      }
      this.#head.push(bytes.subarray(position, end));
      const text = (this.#head.length === 1 ? this.#head[0] : Buffer.concat(this.#head))?.toString("latin1");
      this.#head = [];
      this.#headBytes = 0;
      this.#headTail = NO_BYTES;
      position = end;
      this.#openAnswer(text ?? "");
    }
    return position;
  }

  /** Where the head ends that began earlier or at `from`; -1 when its end has not come. */
  #endOfHead(bytes: Buffer, from: number): number {
    if (this.#headBytes === 0) {
      const at = bytes.indexOf("\r\n\r\n", from, "latin1");
      return at === -1 ? -1 : at + 4;
    }
    // The blank line may be cut anywhere: look at the last bytes that came before, too.
    const joined = Buffer.concat([this.#headTail, bytes.subarray(from)]);
    const at = joined.indexOf("\r\n\r\n", 0, "latin1");
    return at === -1 ? -1 : from + at + 4 - this.#headTail.length;
  }

  #keepHead(part: Buffer): void {
    this.#head.push(part);
    this.#headBytes += part.length;
    if (this.#headBytes > HEAD_LIMIT) throw new ProtocolError(`a head of more than ${HEAD_LIMIT} bytes`);
    this.#headTail = Buffer.concat([this.#headTail, part]).subarray(-3);
    if (this.#headBytes - part.length >= HTTP.length) return;
    const start = Buffer.concat(this.#head).toString("latin1", 0, HTTP.length);
    if (!HTTP.startsWith(start)) throw new ProtocolError(JSON.stringify(start));
  }

  #openAnswer(text: string): void {
    const { head, body, keepsAlive } = parseHead(text);
    if (head.status < 200) return;
    this.#reusable = keepsAlive;
    if (body.kind === "chunked") this.#openChunkSize();
    else if (body.kind === "until-end") this.#state = "until-end";
    else {
      this.#remaining = body.length;
      this.#state = body.length === 0 ? "done" : "sized";
    }
    this.#sink.onHead(head);
  }

  #openChunkSize(): void {
    this.#state = "chunk-size";
    this.#size = 0;
    this.#digits = 0;
    this.#inExtension = false;
    this.#lineBytes = 0;
  }

  /** Reads the lines between the chunks, as far as they have come. */
  #readFraming(bytes: Buffer, from: number, length: number): number {
    let position = from;
    while (position < length) {
      const byte = bytes[position++] ?? 0;
      switch (this.#state) {
        case "chunk-size":
          if (this.#readSize(byte)) return position;
          break;
        case "chunk-end":
          if (byte === CR) break;
          if (byte !== LF) throw new ProtocolError("a chunk that is longer than it says");
          this.#openChunkSize();
          break;
        default:
          // Trailers say nothing that anybody asks for; an empty line ends them.
          if (byte === CR) break;
          if (byte !== LF) this.#countLine();
          else if (this.#digits === 0) {
            this.#state = "done";
            return position;
          } else this.#digits = 0;
      }
    }
    return position;
  }

  /** One byte of the line with the size of a chunk; true when data follow. */
  #readSize(byte: number): boolean {
    if (byte === CR) return false;
    if (byte === LF) {
      if (this.#digits === 0) throw new ProtocolError("a chunk without a size");
      this.#digits = 0;
      this.#lineBytes = 0;
      this.#remaining = this.#size;
      this.#state = this.#size === 0 ? "trailers" : "chunk-data";
      return this.#size > 0;
    }
    if (this.#inExtension) {
      if (++this.#lineBytes > HEAD_LIMIT) throw new ProtocolError("a chunk extension without an end");
      return false;
    }
    const digit = hexDigit(byte);
    if (digit >= 0) {
      if (++this.#digits > SIZE_DIGITS) throw new ProtocolError("a chunk larger than any answer");
      this.#size = this.#size * 16 + digit;
    } else if (this.#digits > 0 && (byte === SEMICOLON || byte === SPACE || byte === TAB))
      this.#inExtension = true;
    else throw new ProtocolError("a chunk size that is no number");
    return false;
  }

  #countLine(): void {
    this.#digits = 1;
    if (++this.#lineBytes > HEAD_LIMIT) throw new ProtocolError(`trailers of more than ${HEAD_LIMIT} bytes`);
  }
}

const SEMICOLON = 59;
const SPACE = 32;
const TAB = 9;

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const lower = byte | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}
