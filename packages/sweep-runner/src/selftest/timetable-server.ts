import { createServer, type Server, type Socket } from "node:net";
import { quantileType7 } from "../figures/percentiles.ts";
import type { Timetable, TimetableReport } from "./timetable.ts";

/** Bound on the sample of latenesses. */
const SAMPLE = 200_000;
const HEAD =
  "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n";
const MODEL = "timetable";

/** One answer under way. */
interface Answer {
  readonly socket: Socket;
  readonly promptTokens: number;
  readonly arrivedMs: number;
  /** Tokens that were written. */
  written: number;
}

/**
 * A server without a model: it answers every completion with tokens at known times, and each token's text is the time at
 * which it was handed to the socket, ns. HTTP/1.1 by hand, so that it is not what limits a measurement.
 */
export class TimetableServer {
  readonly #server: Server;
  readonly #now: () => bigint;
  #timetable: Timetable = { firstMs: 0, everyMs: 0, tokens: 1, eventsPerWrite: 1 };
  #startNs = 0n;
  #latenessMs: number[] = [];
  #writes = 0;
  /** Answers by the ms at which their next write is due. */
  readonly #due = new Map<number, Answer[]>();
  #nextMs = Infinity;
  #timer: NodeJS.Timeout | undefined;
  #flood: Answer[] = [];

  constructor(now: () => bigint = () => process.hrtime.bigint()) {
    this.#now = now;
    this.#server = createServer({ noDelay: true }, (socket) => this.#accept(socket));
  }

  /** Listens on a free port of the loopback interface, and resolves with it. */
  listen(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(0, "127.0.0.1", 4096, () => {
        const address = this.#server.address();
        resolve(typeof address === "object" && address !== null ? address.port : 0);
      });
    });
  }

  /** Follows another timetable from the next request on. */
  follow(timetable: Timetable, startNs: bigint): void {
    this.#timetable = timetable;
    this.#startNs = startNs;
    this.#latenessMs = [];
    this.#writes = 0;
  }

  report(): TimetableReport {
    const sorted = this.#latenessMs.sort((a, b) => a - b);
    const at = (share: number): number => quantileType7(sorted, share) ?? 0;
    return { writes: this.#writes, latenessMs: { p50: at(0.5), p99: at(0.99), max: at(1) } };
  }

  #accept(socket: Socket): void {
    let waiting: Buffer = Buffer.alloc(0);
    socket.on("error", () => socket.destroy());
    socket.on("data", (data: Buffer) => {
      waiting = waiting.length === 0 ? data : Buffer.concat([waiting, data]);
      for (;;) {
        const headEnd = waiting.indexOf("\r\n\r\n");
        if (headEnd === -1) return;
        const head = waiting.toString("latin1", 0, headEnd);
        const bodyLength = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
        const end = headEnd + 4 + bodyLength;
        if (waiting.length < end) return;
        waiting = waiting.subarray(end);
        this.#take(socket, head, bodyLength);
      }
    });
  }

  #take(socket: Socket, head: string, bodyLength: number): void {
    const [method, path = ""] = head.split(" ", 2);
    if (method !== "POST" || !path.endsWith("/completions")) {
      const models = path.endsWith("/v1/models");
      const body = JSON.stringify(
        models ? { data: [{ id: MODEL, owned_by: "onpar" }] } : { detail: "Not Found" },
      );
      const status = models ? "200 OK" : "404 Not Found";
      socket.write(
        `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
      return;
    }
    const answer: Answer = {
      socket,
      // Nothing is counted here: about as many as there are words.
      promptTokens: Math.max(1, Math.round(bodyLength / 5)),
      arrivedMs: this.#nowMs(),
      written: 0,
    };
    socket.write(HEAD);
    if (this.#timetable.everyMs === 0 && this.#timetable.firstMs === 0) return this.#startFlood(answer);
    this.#schedule(answer);
  }

  #schedule(answer: Answer): void {
    const dueMs = Math.ceil(this.#dueMs(answer));
    const together = this.#due.get(dueMs);
    if (together === undefined) this.#due.set(dueMs, [answer]);
    else together.push(answer);
    if (dueMs < this.#nextMs) this.#arm(dueMs);
  }

  #dueMs({ arrivedMs, written }: Answer): number {
    const { firstMs, everyMs, eventsPerWrite } = this.#timetable;
    return arrivedMs + firstMs + (written / eventsPerWrite) * everyMs;
  }

  #arm(dueMs: number): void {
    clearTimeout(this.#timer);
    this.#nextMs = dueMs;
    this.#timer = setTimeout(() => this.#tick(), Math.max(1, Math.floor(dueMs - this.#nowMs())));
  }

  #tick(): void {
    const nowMs = this.#nowMs();
    this.#nextMs = Infinity;
    for (const dueMs of [...this.#due.keys()].sort((a, b) => a - b)) {
      if (dueMs > nowMs) break;
      const answers = this.#due.get(dueMs) ?? [];
      this.#due.delete(dueMs);
      for (const answer of answers) {
        this.#note(this.#nowMs() - this.#dueMs(answer));
        if (this.#write(answer)) this.#schedule(answer);
      }
    }
    const next = Math.min(...this.#due.keys());
    if (next < this.#nextMs) this.#arm(next);
  }

  #note(latenessMs: number): void {
    if (this.#latenessMs.length < SAMPLE) this.#latenessMs.push(latenessMs);
  }

  /** Writes the next events of an answer; false when that was the last of it. */
  #write(answer: Answer): boolean {
    const { tokens, eventsPerWrite } = this.#timetable;
    const { socket } = answer;
    if (socket.destroyed) return false;
    const count = Math.min(eventsPerWrite, tokens - answer.written);
    const stamp = Number(this.#now() - this.#startNs);
    socket.write(chunk(event(`"text":"${stamp} ","finish_reason":null`).repeat(count)));
    this.#writes++;
    answer.written += count;
    if (answer.written < tokens) return true;
    const usage = `{"prompt_tokens":${answer.promptTokens},"completion_tokens":${tokens},"total_tokens":${answer.promptTokens + tokens}}`;
    const last =
      event(`"text":"","finish_reason":"length"`) +
      `data: {"id":"cmpl-0","object":"text_completion","created":0,"model":"${MODEL}","choices":[],"usage":${usage}}\n\n` +
      "data: [DONE]\n\n";
    socket.write(`${chunk(last)}0\r\n\r\n`);
    return false;
  }

  #startFlood(answer: Answer): void {
    this.#flood.push(answer);
    if (this.#flood.length === 1) setImmediate(() => this.#pump());
  }

  /** One write to each connection that takes it, then the next turn: no connection is served twice in a row. */
  #pump(): void {
    this.#flood = this.#flood.filter((answer) => answer.socket.writableNeedDrain || this.#write(answer));
    if (this.#flood.length > 0) setImmediate(() => this.#pump());
  }

  #nowMs(): number {
    return Number(this.#now()) / 1e6;
  }
}

function event(fields: string): string {
  return (
    `data: {"id":"cmpl-7d3f2a9c8b6e4f1da0b5c4e3f2a1b0c9","object":"text_completion","created":1764546000,` +
    `"model":"${MODEL}","choices":[{"index":0,${fields},"logprobs":null,"stop_reason":null}],"usage":null}\n\n`
  );
}

function chunk(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}
