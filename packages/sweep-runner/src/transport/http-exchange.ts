import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import type { Timeline } from "../clock.ts";
import { createCompletionStream, type CompletionStream } from "../stream/completion-stream.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import { messageOf, systemCode } from "../errors.ts";
import { NO_FINISH } from "../stream/finish.ts";
import type { ParseQueue, ParseTask } from "../stream/parse-queue.ts";
import type { RecordedError } from "../record.ts";
import { ERROR_BODY_LIMIT, errorInBody, errorInJson, parseJson } from "../stream/server-message.ts";
import type { ExchangeObserver, Outcome } from "../targets/target.ts";

/** What every exchange of one target shares. */
export interface ExchangeContext {
  readonly pool: ConnectionPool;
  readonly queue: ParseQueue;
  readonly timeline: Timeline;
  readonly timeoutMs: number;
}

/** How long an answer may stay open after its `[DONE]` or its error before the client hangs up, ms. */
const LINGER_MS = 1000;
/** Bound on one answer, bytes. */
const ANSWER_LIMIT = 2 ** 30;
/** How a JSON body or a page begins; an event stream cannot. */
const NOT_A_STREAM = /^\s*[[{"<]/;
/** A server that closes an idle connection while a request is on its way there looks like this. */
const STALE_CODES = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"]);

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
class Exchange implements Dispatcher.DispatchHandler, ParseTask {
  waiting = false;
  readonly #context: ExchangeContext;
  readonly #observer: ExchangeObserver;
  readonly #signal: AbortSignal;
  readonly #resolve: (outcome: Outcome) => void;
  readonly #stream: CompletionStream;
  readonly #onAbort = (): void => this.#settle(this.#context.timeline.now(), null, true);
  #options: Dispatcher.DispatchOptions;
  #controller: Dispatcher.DispatchController | null = null;
  #deadline: NodeJS.Timeout | undefined;
  #linger: NodeJS.Timeout | undefined;
  #pending: { readonly bytes: Buffer; readonly atNs: number }[] = [];
  #bytes = 0;
  #status: number | null = null;
  #contentType = "";
  #encoding = "";
  #connection: "new" | "reused" | null = null;
  /** The body of an answer that is no event stream, up to the limit. */
  #body: Buffer[] = [];
  #streaming = false;
  #resent = false;
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
    this.#stream = createCompletionStream((chunk) => observer.chunk(chunk));
  }

  start(): void {
    if (this.#signal.aborted) return this.#onAbort();
    this.#signal.addEventListener("abort", this.#onAbort, { once: true });
    this.#deadline = setTimeout(() => {
      const message = `no end of the answer within ${this.#context.timeoutMs} ms`;
      this.#settle(this.#context.timeline.now(), { kind: "timeout", message });
    }, this.#context.timeoutMs);
    this.#context.pool.dispatch(this.#options, this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#settled) return controller.abort(new Error("the request was given up"));
    this.#controller = controller;
    this.#connection = this.#context.pool.connectionOf(this.#options);
    this.#observer.sent(this.#context.timeline.now());
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    const atNs = this.#context.timeline.now();
    if (this.#settled || status < 200) return;
    this.#status = status;
    this.#contentType = headers["content-type"] ?? "";
    this.#encoding = (headers["content-encoding"] ?? "identity").toLowerCase();
    this.#streaming = status < 300;
    this.#observer.headers(atNs, status);
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
    if (this.#bytes === bytes.length && NOT_A_STREAM.test(bytes.toString("latin1", 0, 64)))
      this.#streaming = false;
    if (this.#streaming) {
      this.#pending.push({ bytes, atNs });
      return this.#context.queue.add(this);
    }
    this.#body.push(bytes);
    if (this.#bytes >= ERROR_BODY_LIMIT) this.#settle(atNs, this.#bodyError());
  }

  onResponseEnd(): void {
    const atNs = this.#context.timeline.now();
    if (this.#settled) return;
    if (!this.#streaming) return this.#settle(atNs, this.#bodyError());
    this.parse();
    if (this.#settled) return;
    this.#stream.reader.end(atNs);
    this.#settle(atNs, this.#stream.verdict());
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    const atNs = this.#context.timeline.now();
    if (this.#settled) return;
    const code = systemCode(error);
    if (
      this.#connection === "reused" &&
      this.#status === null &&
      !this.#resent &&
      STALE_CODES.has(code ?? "")
    ) {
      return this.#resend();
    }
    this.parse();
    if (this.#settled) return;
    const failure: RecordedError = { kind: "transport", message: messageOf(error) };
    if (!this.#streaming) return this.#settle(atNs, failure);
    this.#stream.reader.end(atNs);
    // The answer was complete: how the connection ended after it is not part of it.
    this.#settle(atNs, this.#stream.complete ? this.#stream.verdict() : (this.#stream.error ?? failure));
  }

  /** Parses what has arrived. */
  parse(): void {
    const ready = this.#pending;
    this.#pending = [];
    if (this.#settled) return;
    try {
      for (const { bytes, atNs } of ready) this.#stream.reader.push(bytes, atNs);
    } catch (error) {
      return this.#settle(this.#context.timeline.now(), { kind: "stream-error", message: messageOf(error) });
    }
    if ((this.#stream.done || this.#stream.error !== null) && this.#linger === undefined) {
      const endNs = this.#stream.doneNs ?? this.#context.timeline.now();
      this.#linger = setTimeout(() => this.#settle(endNs, this.#stream.verdict()), LINGER_MS);
    }
  }

  /** No byte of an answer had come: the server never took the request, so it goes out once more on a new connection. */
  #resend(): void {
    this.#resent = true;
    this.#controller = null;
    this.#options = { ...this.#options };
    this.#context.pool.dispatch(this.#options, this);
  }

  /** Why an answer that is no event stream is a failure: every such answer is one. */
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
    this.#signal.removeEventListener("abort", this.#onAbort);
    const stream = this.#stream;
    this.#resolve({
      // The stream ends with [DONE], whenever the server closes the answer after it.
      endNs: doneNs ?? endNs,
      status: this.#status,
      connection: this.#connection,
      finish: this.#streaming ? stream.finish : NO_FINISH,
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
