import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import type { Timeline } from "../clock.ts";
import { messageOf, systemCode } from "../errors.ts";
import type { RecordedError } from "../record.ts";
import { AnswerStream } from "../stream/answer-stream.ts";
import { NO_FINISH } from "../stream/finish.ts";
import type { ParseQueue, ParseTask } from "../stream/parse-queue.ts";
import { ERROR_BODY_LIMIT, errorInBody, errorInJson, parseJson } from "../stream/server-message.ts";
import type { AnswerFormat } from "../stream/stream-event.ts";
import type { ExchangeObserver, Outcome } from "../targets/target.ts";
import type { Abortable, AbortGroup } from "./abort-group.ts";
import type { Connection, ConnectionPool } from "./connection-pool.ts";
import { retryAfterS } from "./retry-after.ts";

/** What every exchange of one target shares. */
export interface ExchangeContext {
  readonly pool: ConnectionPool;
  readonly queue: ParseQueue;
  readonly aborts: AbortGroup;
  readonly timeline: Timeline;
  readonly timeoutMs: number;
  readonly format: AnswerFormat;
  /** Whether a stream was asked for. */
  readonly streamed: boolean;
}

/** How long an answer may stay open after its `[DONE]` or its error before the client hangs up, ms. */
const LINGER_MS = 1000;
/** Bound on one answer, bytes. */
const ANSWER_LIMIT = 2 ** 30;
/** How a JSON body or a page begins; an event stream cannot. */
const NOT_A_STREAM = /^\s*[[{"<]/;
/** A server that closes an idle connection while a request is on its way there looks like this. */
const STALE_CODES = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"]);
/** Longest whole answer, bytes. */
const WHOLE_ANSWER_LIMIT = 64 * 2 ** 20;

/** Sends one request and resolves with what became of it. */
export function exchange(
  context: ExchangeContext,
  options: Dispatcher.DispatchOptions,
  observer: ExchangeObserver,
  signal: AbortSignal,
): Promise<Outcome> {
  return new Promise((resolve) => {
    new Exchange(context, options, observer, signal, resolve).start();
  });
}

/**
 * The handler of one request. Bytes are stamped when they arrive and parsed in a later phase of the event loop; the
 * first of answer end, error, deadline and abort settles it, and whatever comes after that is ignored.
 */
class Exchange implements Dispatcher.DispatchHandler, ParseTask, Abortable {
  waiting = false;
  readonly #context: ExchangeContext;
  readonly #observer: ExchangeObserver;
  readonly #signal: AbortSignal;
  readonly #resolve: (outcome: Outcome) => void;
  readonly #stream: AnswerStream;
  readonly #connection: Connection;
  readonly #options: Dispatcher.DispatchOptions;
  #controller: Dispatcher.DispatchController | null = null;
  #deadline: NodeJS.Timeout | undefined;
  #linger: NodeJS.Timeout | undefined;
  /** Reads that wait to be parsed, and their arrivals. */
  #reads: Buffer[] = [];
  #arrivalsNs: number[] = [];
  #bytes = 0;
  #status: number | null = null;
  #contentType = "";
  #encoding = "";
  /** How long opening the connection took, ns; null on one that stood. */
  #connectNs: number | null = null;
  #sends = 0;
  #retryAfterS: number | null = null;
  /** The body of an answer that is no event stream, up to the limit. */
  #body: Buffer[] = [];
  #streaming = false;
  #settled = false;

  constructor(
    context: ExchangeContext,
    options: Dispatcher.DispatchOptions,
    observer: ExchangeObserver,
    signal: AbortSignal,
    resolve: (outcome: Outcome) => void,
  ) {
    this.#context = context;
    this.#options = options;
    this.#observer = observer;
    this.#signal = signal;
    this.#resolve = resolve;
    this.#stream = new AnswerStream(context.format, observer.trace);
    this.#connection = context.pool.acquire();
  }

  start(): void {
    if (this.#signal.aborted) return this.abort();
    this.#context.aborts.add(this.#signal, this);
    this.#deadline = setTimeout(() => {
      const message = `no end of the answer within ${this.#context.timeoutMs} ms`;
      this.#settle(this.#context.timeline.now(), { kind: "timeout", message });
    }, this.#context.timeoutMs);
    this.#connection.dispatch(this.#options, this);
  }

  /** What had arrived stays in the record. */
  abort(): void {
    this.#settle(this.#context.timeline.now(), null, true);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#settled) return controller.abort(new Error("the request was given up"));
    this.#controller = controller;
    this.#connectNs = this.#connection.takeConnectNs();
    this.#sends++;
    this.#observer.sent(this.#context.timeline.now());
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    const atNs = this.#context.timeline.now();
    if (this.#settled || status < 200) return;
    this.#status = status;
    this.#contentType = headers["content-type"] ?? "";
    this.#encoding = (headers["content-encoding"] ?? "identity").toLowerCase();
    this.#streaming = this.#context.streamed && status < 300;
    const retryAfter = headers["retry-after"];
    if (retryAfter !== undefined) this.#retryAfterS = retryAfterS(retryAfter, Date.now());
    this.#observer.headers(atNs);
    if (this.#encoding !== "identity") {
      const message = `the answer is encoded as ${this.#encoding} although only identity was accepted`;
      this.#settle(atNs, { kind: "transport", message });
    }
  }

  onResponseData(_: Dispatcher.DispatchController, bytes: Buffer): void {
    const atNs = this.#context.timeline.now();
    if (this.#settled) return;
    this.#bytes += bytes.length;
    if (this.#bytes > ANSWER_LIMIT) {
      return this.#settle(atNs, {
        kind: "transport",
        message: `the answer is larger than ${ANSWER_LIMIT} bytes`,
      });
    }
    // By content, not by type: servers send JSON as event-stream, and streams as JSON.
    const { framing } = this.#context.format;
    if (
      framing === "sse" &&
      this.#bytes === bytes.length &&
      NOT_A_STREAM.test(bytes.toString("latin1", 0, 64))
    )
      this.#streaming = false;
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

  onResponseEnd(): void {
    const atNs = this.#context.timeline.now();
    if (this.#settled) return;
    if (!this.#streaming) return this.#settle(atNs, this.#takeWhole(atNs));
    this.parse();
    if (this.#settled) return;
    this.#stream.end(atNs);
    this.#settle(atNs, this.#stream.verdict());
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    const atNs = this.#context.timeline.now();
    if (this.#settled) return;
    if (this.#isStale(error)) {
      this.#controller = null;
      return this.#connection.dispatch(this.#options, this);
    }
    this.parse();
    if (this.#settled) return;
    const failure: RecordedError = { kind: "transport", message: messageOf(error) };
    if (!this.#streaming) return this.#settle(atNs, failure);
    this.#stream.end(atNs);
    // The answer was complete: how the connection ended after it is not part of it.
    this.#settle(atNs, this.#stream.complete ? this.#stream.verdict() : (this.#stream.error ?? failure));
  }

  /** Parses what has arrived. */
  parse(): void {
    const reads = this.#reads;
    const arrivalsNs = this.#arrivalsNs;
    if (reads.length === 0 || this.#settled) return;
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
    if ((this.#stream.doneNs !== null || this.#stream.error !== null) && this.#linger === undefined) {
      const endNs = this.#stream.doneNs ?? this.#context.timeline.now();
      this.#linger = setTimeout(() => this.#settle(endNs, this.#stream.verdict()), LINGER_MS);
    }
  }

  /**
   * No byte of an answer came on a connection that had stood idle: the server had closed it and never took the request,
   * so it goes out once more on a new one.
   */
  #isStale(error: Error): boolean {
    const wasReused = this.#sends === 1 && this.#connectNs === null;
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

  /** Why an answer that is no event stream is a failure, where a stream was asked for. */
  #bodyError(): RecordedError {
    const body = Buffer.concat(this.#body).toString("utf8", 0, ERROR_BODY_LIMIT);
    const status = this.#status ?? 0;
    if (status >= 300) return { kind: "http", message: errorInBody(body, this.#contentType) };
    const json = parseJson(body);
    const error = errorInJson(json);
    if (error !== null) return { kind: "stream-error", message: error };
    if (json !== undefined) {
      return {
        kind: "stream-error",
        message: "the server answered with a whole JSON body although a stream was asked for",
      };
    }
    return { kind: "stream-error", message: `not an event stream: ${errorInBody(body, this.#contentType)}` };
  }

  #settle(endNs: number, error: RecordedError | null, aborted = false): void {
    if (this.#settled) return;
    // What arrived before the abort belongs to the record.
    if (aborted) this.parse();
    if (this.#settled) return;
    const { doneNs } = this.#stream;
    // Only its connection was still open: the answer is whole.
    if (aborted && doneNs !== null) return this.#settle(doneNs, this.#stream.verdict());
    this.#settled = true;
    clearTimeout(this.#deadline);
    clearTimeout(this.#linger);
    this.#context.aborts.delete(this.#signal, this);
    const stream = this.#stream;
    // A request that still waits for its socket would go out in front of the next one.
    if (this.#sends === 0) this.#context.pool.discard(this.#connection);
    else this.#context.pool.release(this.#connection);
    const sent = this.#sends > 0;
    this.#resolve({
      // The stream ends with [DONE], whenever the server closes the answer after it.
      endNs: doneNs ?? endNs,
      status: this.#status,
      connection: sent ? (this.#connectNs === null ? "reused" : "new") : null,
      connectNs: this.#connectNs,
      attempts: this.#sends,
      retryAfterS: this.#retryAfterS,
      finish: this.#streaming || !this.#context.streamed ? stream.finish : NO_FINISH,
      usage: stream.usage,
      tokenIdCount: stream.tokenIdCount,
      acceptance: stream.acceptance,
      firstEosIndex: null,
      error,
      aborted,
    });
    // Without effect on an exchange that has ended; otherwise it frees the connection.
    if (this.#controller !== null && !this.#controller.aborted)
      this.#controller.abort(new Error("the request was given up"));
  }
}
