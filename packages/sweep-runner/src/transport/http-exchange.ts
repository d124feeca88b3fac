import type { Timeline } from "../clock.ts";
import { messageOf, systemCode } from "../errors.ts";
import type { RecordedError } from "../record.ts";
import { AnswerStream } from "../stream/answer-stream.ts";
import { NO_FINISH } from "../stream/finish.ts";
import type { ParseQueue, ParseTask } from "../stream/parse-queue.ts";
import { ERROR_BODY_LIMIT, parseJson } from "../stream/server-message.ts";
import type { AnswerFormat } from "../stream/stream-event.ts";
import type { ExchangeObserver, Outcome } from "../targets/target.ts";
import type { Abortable, AbortGroup } from "./abort-group.ts";
import { bodyError } from "./body-error.ts";
import type { Connection, ConnectionHandler } from "./connection.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import type { ResponseHead } from "./response-head.ts";
import { waitBeforeRetryMs } from "./retry.ts";
import { retryAfterS } from "./retry-after.ts";

/** What every exchange of one target shares. */
export interface ExchangeContext {
  readonly pool: ConnectionPool;
  readonly queue: ParseQueue;
  readonly aborts: AbortGroup;
  readonly timeline: Timeline;
  readonly timeoutMs: number;
  /** How often a request goes out again that the server refused for now. */
  readonly retries: number;
  readonly format: AnswerFormat;
  /** Whether a stream was asked for. */
  readonly streamed: boolean;
  /** Request line and headers, up to the value of the last one, which is the length of the body. */
  readonly head: string;
}

/** How long an answer may stay open after its `[DONE]` or its error before the client hangs up, ms. */
const LINGER_MS = 1000;
/** Bound on one answer, bytes. */
const ANSWER_LIMIT = 2 ** 30;
/** How a JSON body or a page begins; an event stream cannot. */
const NOT_A_STREAM = /^\s*[[{"<]/;
/** A server that closes an idle connection while a request is on its way there looks like this. */
const STALE_CODES = new Set(["CONNECTION_CLOSED", "ECONNRESET", "EPIPE"]);
/** Longest whole answer, bytes. */
const WHOLE_ANSWER_LIMIT = 64 * 2 ** 20;

/** Sends one request and resolves with what became of it. */
export function exchange(
  context: ExchangeContext,
  body: Uint8Array,
  observer: ExchangeObserver,
  signal: AbortSignal,
): Promise<Outcome> {
  return new Promise((resolve) => {
    new Exchange(context, body, observer, signal, resolve).start();
  });
}

/**
 * The handler of one request. Bytes are stamped when they arrive. Events of the known form are read then and there, which
 * takes less than to copy them; everything else is parsed in a later phase of the event loop. The
 * first of answer end, error, deadline and abort settles it, and whatever comes after that is ignored.
 */
class Exchange implements ConnectionHandler, ParseTask, Abortable {
  waiting = false;
  readonly #context: ExchangeContext;
  readonly #observer: ExchangeObserver;
  readonly #signal: AbortSignal;
  readonly #resolve: (outcome: Outcome) => void;
  #stream: AnswerStream;
  readonly #requestBody: Uint8Array;
  /** Null while a refused request waits to go out again. */
  #connection: Connection | null;
  #deadline: NodeJS.Timeout | undefined;
  #linger: NodeJS.Timeout | undefined;
  #pause: NodeJS.Timeout | undefined;
  /** When the deadline is, ns. */
  #untilNs = Infinity;
  /** Reads that wait to be parsed, and their arrivals. */
  #reads: Buffer[] = [];
  #arrivalsNs: number[] = [];
  #bytes = 0;
  #status: number | null = null;
  #contentType = "";
  /** How long opening the connection took, ns; null on one that stood. */
  #connectNs: number | null = null;
  #sends = 0;
  /** Those of them that followed a refusal. */
  #retries = 0;
  /** Sendings since the last refusal. */
  #sendsOfTry = 0;
  #retryAfterS: number | null = null;
  /** The body of an answer that is no event stream, up to the limit. */
  #body: Buffer[] = [];
  #streaming = false;
  #settled = false;
  /** The answer is complete, or its connection lost. */
  #endNs: number | null = null;
  #failure: Error | null = null;

  constructor(
    context: ExchangeContext,
    requestBody: Uint8Array,
    observer: ExchangeObserver,
    signal: AbortSignal,
    resolve: (outcome: Outcome) => void,
  ) {
    this.#context = context;
    this.#requestBody = requestBody;
    this.#observer = observer;
    this.#signal = signal;
    this.#resolve = resolve;
    this.#stream = new AnswerStream(context.format, observer.trace);
    this.#connection = null;
  }

  start(): void {
    if (this.#signal.aborted) return this.abort();
    this.#context.aborts.add(this.#signal, this);
    this.#untilNs = this.#context.timeline.now() + this.#context.timeoutMs * 1e6;
    this.#deadline = setTimeout(() => {
      const message = `no end of the answer within ${this.#context.timeoutMs} ms`;
      this.#settle(this.#context.timeline.now(), { kind: "timeout", message });
    }, this.#context.timeoutMs);
    this.#send(this.#context.pool.acquire());
  }

  #send(connection: Connection): void {
    this.#connection = connection;
    const head = `${this.#context.head}${this.#requestBody.length}\r\n\r\n`;
    connection.send(head, this.#requestBody, this);
  }

  /** What had arrived stays in the record. */
  abort(): void {
    this.#settle(this.#context.timeline.now(), null, true);
  }

  onSend(atNs: number): void {
    this.#connectNs = this.#connection?.takeConnectNs() ?? null;
    this.#sends++;
    this.#sendsOfTry++;
    this.#observer.sent(atNs);
  }

  onHead({ status, contentType, contentEncoding, retryAfter }: ResponseHead, atNs: number): void {
    this.#status = status;
    this.#contentType = contentType;
    this.#streaming = this.#context.streamed && status < 300;
    if (retryAfter !== null) this.#retryAfterS = retryAfterS(retryAfter, Date.now());
    this.#observer.headers(atNs);
    if (contentEncoding !== "identity") {
      const message = `the answer is encoded as ${contentEncoding} although only identity was accepted`;
      this.#settle(atNs, { kind: "transport", message });
    }
  }

  readInPlace(memory: Buffer, from: number, to: number, atNs: number): number {
    const mayRead = this.#streaming && !this.#settled && this.#reads.length === 0;
    if (!mayRead || this.#bytes + to - from > ANSWER_LIMIT) return from;
    const end = this.#stream.readFitting(memory, from, to, atNs);
    this.#bytes += end - from;
    return end;
  }

  onBody(bytes: Buffer, atNs: number): void {
    this.#bytes += bytes.length;
    if (this.#bytes > ANSWER_LIMIT) {
      const message = `the answer is larger than ${ANSWER_LIMIT} bytes`;
      return this.#settle(atNs, { kind: "transport", message });
    }
    // By content, not by type: servers send JSON as event-stream, and streams as JSON.
    if (this.#bytes === bytes.length && this.#context.format.framing === "sse" && mayBeNoStream(bytes)) {
      if (NOT_A_STREAM.test(bytes.toString("latin1", 0, 64))) this.#streaming = false;
    }
    if (this.#streaming) {
      this.#reads.push(bytes);
      this.#arrivalsNs.push(atNs);
      return this.#context.queue.add(this);
    }
    this.#body.push(bytes);
    const isWhole = !this.#context.streamed && (this.#status ?? 0) < 300;
    if (this.#bytes >= (isWhole ? WHOLE_ANSWER_LIMIT : ERROR_BODY_LIMIT))
      this.#settle(atNs, this.#bodyError());
  }

  onEnd(atNs: number): void {
    this.#endNs = atNs;
    this.#context.queue.add(this);
  }

  onFail(error: Error, atNs: number): void {
    if (this.#connection !== null) this.#context.pool.discard(this.#connection);
    if (this.#isStale(error)) return this.#send(this.#context.pool.create());
    this.#failure = error;
    this.#endNs = atNs;
    this.#context.queue.add(this);
  }

  /** Parses what has arrived. */
  parse(): void {
    const reads = this.#reads;
    const arrivalsNs = this.#arrivalsNs;
    if (this.#settled) return;
    this.#reads = [];
    this.#arrivalsNs = [];
    try {
      for (let index = 0; index < reads.length; index++) {
        const bytes = reads[index];
        if (bytes !== undefined) this.#stream.push(bytes, arrivalsNs[index] ?? 0);
      }
    } catch (error) {
      return this.#settle(this.#context.timeline.now(), { kind: "stream-error", message: messageOf(error) });
    }
    if (this.#endNs !== null) return this.#end(this.#endNs);
    if ((this.#stream.doneNs !== null || this.#stream.error !== null) && this.#linger === undefined) {
      const endNs = this.#stream.doneNs ?? this.#context.timeline.now();
      this.#linger = setTimeout(() => this.#settle(endNs, this.#stream.verdict()), LINGER_MS);
    }
  }

  /** Nothing more will come. */
  #end(atNs: number): void {
    if (this.#failure === null) {
      if (!this.#streaming) return this.#settle(atNs, this.#takeWhole(atNs));
      this.#stream.end(atNs);
      return this.#settle(atNs, this.#stream.verdict());
    }
    const failure: RecordedError = { kind: "transport", message: messageOf(this.#failure) };
    if (!this.#streaming) return this.#settle(atNs, failure);
    this.#stream.end(atNs);
    // The answer was complete: how the connection ended after it is not part of it.
    this.#settle(atNs, this.#stream.complete ? this.#stream.verdict() : (this.#stream.error ?? failure));
  }

  /**
   * No byte of an answer came on a connection that had stood idle: the server had closed it and never took the request,
   * so it goes out once more on a new one.
   */
  #isStale(error: Error): boolean {
    const wasReused = this.#sendsOfTry === 1 && this.#connectNs === null;
    return wasReused && this.#status === null && STALE_CODES.has(systemCode(error) ?? "");
  }

  /** Reads an answer that came whole; null when it is one that was asked for. */
  #takeWhole(atNs: number): RecordedError | null {
    if (this.#context.streamed || (this.#status ?? 0) >= 300) return this.#bodyError();
    const json = parseJson(Buffer.concat(this.#body).toString("utf8"));
    if (json === undefined) return this.#bodyError();
    this.#stream.takeWhole(json, atNs);
    return this.#stream.verdict();
  }

  #bodyError(): RecordedError {
    return bodyError(this.#status ?? 0, this.#contentType, this.#body);
  }

  /**
   * Whether a request that was refused for now goes out once more: after the wait that the server named, on the lane that
   * it holds, and with its times counted from the first sending.
   */
  #goesOutAgain(nowNs: number): boolean {
    const { pool, retries, format } = this.#context;
    const waitMs = waitBeforeRetryMs(this.#status, this.#retryAfterS, this.#retries);
    if (this.#retries >= retries || waitMs === null || nowNs + waitMs * 1e6 >= this.#untilNs) return false;
    this.#leaveConnection();
    clearTimeout(this.#linger);
    this.#linger = undefined;
    this.#sendsOfTry = 0;
    this.#stream = new AnswerStream(format, this.#observer.trace);
    this.#reads = [];
    this.#arrivalsNs = [];
    this.#body = [];
    this.#bytes = 0;
    this.#status = null;
    this.#contentType = "";
    this.#retryAfterS = null;
    this.#streaming = false;
    this.#endNs = null;
    this.#failure = null;
    this.#pause = setTimeout(() => {
      this.#retries++;
      this.#send(pool.acquire());
    }, waitMs);
    return true;
  }

  /** Whatever is still on its way on the connection belongs to nobody any more. */
  #leaveConnection(): void {
    const connection = this.#connection;
    this.#connection = null;
    if (connection === null) return;
    if (this.#endNs === null) this.#context.pool.discard(connection);
    else if (this.#failure === null) this.#context.pool.release(connection);
  }

  #settle(endNs: number, error: RecordedError | null, aborted = false): void {
    if (this.#settled) return;
    // What arrived before belongs to the record.
    if (aborted && (this.#reads.length > 0 || this.#endNs !== null)) this.parse();
    if (this.#settled) return;
    const { doneNs } = this.#stream;
    // Only its connection was still open: the answer is whole.
    if (aborted && doneNs !== null) return this.#settle(doneNs, this.#stream.verdict());
    if (!aborted && error?.kind === "http" && this.#goesOutAgain(endNs)) return;
    this.#settled = true;
    clearTimeout(this.#deadline);
    clearTimeout(this.#linger);
    clearTimeout(this.#pause);
    this.#context.aborts.delete(this.#signal, this);
    const stream = this.#stream;
    this.#leaveConnection();
    const sent = this.#sends > 0;
    this.#resolve({
      // The stream ends with [DONE], whenever the server closes the answer after it.
      endNs: doneNs ?? endNs,
      status: this.#status,
      connection: sent ? (this.#connectNs === null ? "reused" : "new") : null,
      connectNs: this.#connectNs,
      attempts: this.#sends,
      retries: this.#retries,
      retryAfterS: this.#retryAfterS,
      finish: this.#streaming || !this.#context.streamed ? stream.finish : NO_FINISH,
      usage: stream.usage,
      tokenIdCount: stream.tokenIdCount,
      acceptance: stream.acceptance,
      firstEosIndex: null,
      error,
      aborted,
    });
  }
}

/** White space, or the first byte of something else than a field of an event stream. */
function mayBeNoStream(bytes: Buffer): boolean {
  const first = bytes[0] ?? 0;
  return first <= 0x20 || first === 0x22 || first === 0x3c || first === 0x5b || first === 0x7b;
}
