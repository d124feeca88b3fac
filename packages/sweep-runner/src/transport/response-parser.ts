/** What the head of an answer says, as far as anybody asks. */
export interface ResponseHead {
  readonly status: number;
  readonly contentType: string;
  /** Lower case; `identity` without one. */
  readonly contentEncoding: string;
  readonly retryAfter: string | null;
  /** How long the server keeps an idle connection, s; null when it does not say. */
  readonly keepAliveS: number | null;
}

export interface ResponseSink {
  onHead(head: ResponseHead): void;
  /** Bytes of the body: all that one read brought, without the framing. They belong to the receiver. */
  onBody(bytes: Buffer): void;
  /** @param reusable whether the connection may carry another request */
  onComplete(reusable: boolean): void;
}

/** Bytes that are no HTTP/1.1 answer. */
export class ProtocolError extends Error {
  readonly code = "HTTP_PROTOCOL";

  constructor(what: string) {
    super(`not an HTTP/1.1 answer: ${what}`);
    this.name = "ProtocolError";
  }
}

/** Bound on the head of an answer and on its trailers, bytes. */
const HEAD_LIMIT = 64 * 1024;
const HTTP = "HTTP/";
const NO_BYTES: Buffer = Buffer.alloc(0);
const CR = 13;
const LF = 10;
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
   * Reads what has arrived.
   *
   * @throws {ProtocolError}
   */
  execute(bytes: Buffer): void {
    let position = 0;
    if (this.#state === "head") {
      position = this.#readHeads(bytes);
      if (this.#state === "head") return;
    }
    if (this.#state === "done") return this.#finish(bytes, position);
    const body = Buffer.allocUnsafe(bytes.length - position);
    let filled = 0;
    while (position < bytes.length && this.#state !== "done") {
      const take =
        this.#state === "until-end"
          ? bytes.length - position
          : this.#state === "sized" || this.#state === "chunk-data"
            ? Math.min(this.#remaining, bytes.length - position)
            : 0;
      if (take === 0) {
        position = this.#readFraming(bytes, position);
        continue;
      }
      filled += bytes.copy(body, filled, position, position + take);
      position += take;
      if (this.#state === "until-end") continue;
      this.#remaining -= take;
      if (this.#remaining === 0) this.#state = this.#state === "sized" ? "done" : "chunk-end";
    }
    if (filled > 0) this.#sink.onBody(filled === body.length ? body : body.subarray(0, filled));
    if (this.#state === "done") this.#finish(bytes, position);
  }

  /** The connection has ended; true when that was the end of an answer. */
  end(): boolean {
    if (this.#state !== "until-end") return false;
    this.#reusable = false;
    this.#complete();
    return true;
  }

  #finish(bytes: Buffer, position: number): void {
    // Nobody asked for what comes after the answer.
    if (position < bytes.length) this.#reusable = false;
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
    const lineEnd = text.indexOf("\r\n");
    const [, minor, code] = /^HTTP\/1\.([01]) (\d{3})(?: |$)/.exec(text.slice(0, lineEnd)) ?? [];
    if (code === undefined) throw new ProtocolError(JSON.stringify(text.slice(0, Math.min(lineEnd, 60))));
    const status = Number(code);
    let contentType = "";
    let contentEncoding = "identity";
    let retryAfter: string | null = null;
    let keepAliveS: number | null = null;
    let connection = "";
    let coding = "";
    let length: number | null = null;
    for (let from = lineEnd + 2; from < text.length - 2;) {
      const end = text.indexOf("\r\n", from);
      const colon = text.indexOf(":", from);
      if (colon === -1 || colon > end || colon === from) throw new ProtocolError("a header without a name");
      const value = text.slice(colon + 1, end).trim();
      switch (text.slice(from, colon).toLowerCase()) {
        case "content-length":
          length = lengthOf(value, length);
          break;
        case "transfer-encoding":
          coding = coding === "" ? value.toLowerCase() : `${coding}, ${value.toLowerCase()}`;
          break;
        case "connection":
          connection += `${value.toLowerCase()},`;
          break;
        case "content-type":
          contentType = value;
          break;
        case "content-encoding":
          if (value !== "") contentEncoding = value.toLowerCase();
          break;
        case "retry-after":
          retryAfter = value;
          break;
        case "keep-alive":
          keepAliveS = Number(/timeout=(\d+)/i.exec(value)?.[1] ?? NaN);
          if (Number.isNaN(keepAliveS)) keepAliveS = null;
          break;
        default:
      }
      from = end + 2;
    }
    if (status === 101) throw new ProtocolError("another protocol, which nobody asked for");
    if (status < 200) return;
    this.#reusable = minor === "1" ? !/\bclose\b/.test(connection) : /\bkeep-alive\b/.test(connection);
    if (status === 204 || status === 304) this.#state = "done";
    else if (coding !== "") this.#openChunks(coding);
    else if (length === null) this.#state = "until-end";
    else {
      this.#remaining = length;
      this.#state = length === 0 ? "done" : "sized";
    }
    this.#sink.onHead({ status, contentType, contentEncoding, retryAfter, keepAliveS });
  }

  #openChunks(coding: string): void {
    if (!/(^|,)\s*chunked\s*$/.test(coding)) {
      this.#state = "until-end";
      return;
    }
    if (coding.trim() !== "chunked") throw new ProtocolError(`the transfer coding ${coding}`);
    this.#openChunkSize();
  }

  #openChunkSize(): void {
    this.#state = "chunk-size";
    this.#size = 0;
    this.#digits = 0;
    this.#inExtension = false;
    this.#lineBytes = 0;
  }

  /** Reads the lines between the chunks, as far as they have come. */
  #readFraming(bytes: Buffer, from: number): number {
    let position = from;
    while (position < bytes.length) {
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

function lengthOf(value: string, before: number | null): number {
  const length = /^\d{1,15}$/.test(value) ? Number(value) : NaN;
  if (Number.isNaN(length) || (before !== null && before !== length))
    throw new ProtocolError(`the content length ${value.slice(0, 40)}`);
  return length;
}
