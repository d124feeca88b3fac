import type { SpecDecodeCounts } from "@onpar/metrics-client";
import type { RecordedError, RecordedUsage } from "../record.ts";
import { NO_FINISH, type Finish } from "./finish.ts";
import { createLineReader } from "./line-reader.ts";
import { parseJson } from "./server-message.ts";
import { createSseReader, type SseEvent, type SseReader } from "./sse.ts";
import type { AnswerFormat, StreamEvent } from "./stream-event.ts";
import type { StreamTrace } from "./stream-trace.ts";
import { learnTemplate, readByTemplate, type TextTemplate } from "./text-template.ts";

/** Templates that a stream may learn and hardly use before it is read without. */
const USELESS_TEMPLATES = 4;
/** Events that a template must have read to have been worth its making. */
const WORTH_EVENTS = 4;
/** Event with text from which on a template is worth its making: short answers never see one. */
const LEARN_FROM = 3;

export interface AnswerStreamOptions {
  /** False reads every event in full. Default: true. */
  readonly templates?: boolean;
}

/** The state of one streamed answer, fed with the bytes of its body. */
export class AnswerStream {
  /** Arrival of `[DONE]`, ns. What follows it is not part of the answer. */
  doneNs: number | null = null;
  finish: Finish = NO_FINISH;
  usage: RecordedUsage | null = null;
  acceptance: SpecDecodeCounts | null = null;
  error: RecordedError | null = null;
  readonly #trace: StreamTrace;
  readonly #format: AnswerFormat;
  readonly #read: (json: unknown, eventName: string) => StreamEvent;
  readonly #reader: SseReader;
  readonly #chunkTokens = new ChunkTokens();
  #template: TextTemplate | null = null;
  #templates: boolean;
  #templateEvents = 0;
  #useless = 0;
  #textEvents = 0;
  /** The event that was read last, when it may become a template. */
  #last: StreamEvent | null = null;
  #events = 0;
  #tokenIds = 0;
  #everyTextHadIds = true;
  #sawText = false;

  constructor(format: AnswerFormat, trace: StreamTrace, options: AnswerStreamOptions = {}) {
    this.#trace = trace;
    this.#format = format;
    this.#read = format.createReader();
    const onEvent = (event: SseEvent): void => this.#onEvent(event);
    this.#reader = format.framing === "sse" ? createSseReader(onEvent) : createLineReader(onEvent);
    this.#templates = format.stateless && format.framing === "sse" && options.templates !== false;
  }

  /** Whether the answer came to its own end: `[DONE]` or a finish reason. */
  get complete(): boolean {
    return this.doneNs !== null || this.finish.raw !== null;
  }

  /** Output tokens by their ids; null when the ids were not all seen. */
  get tokenIdCount(): number | null {
    return this.#everyTextHadIds && this.#tokenIds > 0 ? this.#tokenIds : null;
  }

  /**
   * Feeds bytes that arrived at `atNs`.
   *
   * @throws {SseOverflowError} for an event over the limit
   */
  push(bytes: Buffer, atNs: number): void {
    for (let from = 0; from < bytes.length;) {
      if (!this.#templates || this.doneNs !== null || !this.#reader.betweenEvents) {
        from = this.#reader.read(bytes, from, atNs);
        continue;
      }
      if (this.#template !== null) {
        from = this.#readByTemplate(this.#template, bytes, from, bytes.length, atNs);
        if (from === bytes.length) return;
      }
      this.#last = null;
      const next = this.#reader.read(bytes, from, atNs);
      if (this.#last !== null) this.#learn(bytes.subarray(from, next), this.#last);
      from = next;
    }
  }

  /**
   * Reads events that fit what is known of this stream, which takes less time than to copy them. Holds nothing of `memory`.
   *
   * @returns where the first byte is that has to be pushed
   */
  readFitting(memory: Buffer, from: number, to: number, atNs: number): number {
    if (this.#template === null || this.doneNs !== null || !this.#reader.betweenEvents) return from;
    return this.#readByTemplate(this.#template, memory, from, to, atNs);
  }

  /** The answer is over. */
  end(atNs: number): void {
    this.#reader.end(atNs);
  }

  /** Takes an answer that came whole. */
  takeWhole(json: unknown, atNs: number): void {
    this.#events++;
    const event = this.#format.readWhole(json);
    const hasOutput =
      event.reasoning !== "" || event.content !== "" || event.tool !== "" || event.tokenIds !== null;
    this.#take(hasOutput ? { ...event, kind: "whole" } : event, atNs);
  }

  /** Why an answer that has ended is a failure; null when it is none. */
  verdict(): RecordedError | null {
    if (this.error !== null) return this.error;
    if (this.#events === 0) return { kind: "no-output", message: "the answer holds no event" };
    if (!this.complete) {
      return { kind: "truncated", message: "the stream ended without a finish reason and without [DONE]" };
    }
    if (this.finish.reason === "abort") {
      const message = `the server gave the request up (finish reason ${this.finish.raw})`;
      return { kind: "stream-error", message };
    }
    const tokens = this.usage?.completionTokens ?? 0;
    if (!this.#sawText && this.#tokenIds === 0 && tokens === 0 && this.finish.raw === null) {
      return { kind: "no-output", message: "the stream ended without a token and without a finish reason" };
    }
    return null;
  }

  #readByTemplate(template: TextTemplate, bytes: Buffer, from: number, to: number, atNs: number): number {
    const { events } = this.#trace;
    const next = readByTemplate(template, this.#trace, bytes, from, to, atNs);
    const read = this.#trace.events - events;
    this.#events += read;
    this.#templateEvents += read;
    return next;
  }

  #learn(raw: Buffer, event: StreamEvent): void {
    if (++this.#textEvents < LEARN_FROM) return;
    if (this.#template !== null) {
      this.#useless = this.#templateEvents < WORTH_EVENTS ? this.#useless + 1 : 0;
    }
    if (this.#useless >= USELESS_TEMPLATES) {
      this.#templates = false;
      this.#template = null;
      return;
    }
    this.#templateEvents = 0;
    const template = learnTemplate(raw, event, (json) => this.#read(json, ""));
    if (template === null) this.#useless++;
    else this.#template = template;
  }

  #onEvent(event: SseEvent): void {
    if (this.doneNs !== null) return;
    const data = event.data.trim();
    // Heartbeats: by the standard an empty data line is an event, here it says nothing.
    if (data === "") return;
    this.#events++;
    if (data === "[DONE]") {
      this.doneNs = event.atNs;
      this.#trace.add(event.atNs, "done", {}, null);
      return;
    }
    const json = parseJson(data);
    if (json !== undefined) return this.#take(this.#read(json, event.name), event.atNs);
    // The last event of a stream that broke off inside it: the stream is cut, the event is not wrong.
    if (event.cutOff) return;
    if (event.name === "error") return this.#take(this.#read({ error: data }, "error"), event.atNs);
    this.error ??= { kind: "stream-error", message: `an event is not JSON: ${data.slice(0, 120)}` };
  }

  #take(event: StreamEvent, atNs: number): void {
    if (event.finish !== null) this.finish = event.finish;
    if (event.usage !== null) this.usage = mergeUsage(this.usage, event.usage);
    if (event.acceptance !== null) this.acceptance = event.acceptance;
    if (event.error !== null) this.error ??= { kind: "stream-error", message: event.error };
    const hasText = event.reasoning !== "" || event.content !== "" || event.tool !== "";
    if (hasText) {
      this.#sawText = true;
      if (event.tokenIds === null) this.#everyTextHadIds = false;
      this.#last = event;
    }
    this.#tokenIds += event.tokenIds ?? 0;
    this.#trace.add(atNs, event.kind, event, this.#chunkTokens.of(event, hasText));
  }
}

/**
 * Tokens of each chunk: from token ids, or from `usage` where it grows with every chunk. A usage that comes only at
 * the end says nothing about its chunk, so the first chunk with text decides whether it grows.
 */
class ChunkTokens {
  #counted = 0;
  #everyTextHadUsage = true;

  of(event: StreamEvent, hasText: boolean): number | null {
    if (event.tokenIds !== null) return event.tokenIds;
    const total = event.usage?.completionTokens ?? null;
    if (hasText && total === null) this.#everyTextHadUsage = false;
    if (total === null || !this.#everyTextHadUsage || event.kind === "usage" || event.kind === "error")
      return null;
    const tokens = total - this.#counted;
    if (!hasText && this.#counted === 0) return null;
    this.#counted = total;
    return tokens >= 0 ? tokens : null;
  }
}

/** The last value that is not null wins: some servers repeat usage and leave fields out. */
function mergeUsage(before: RecordedUsage | null, after: RecordedUsage): RecordedUsage {
  return {
    promptTokens: after.promptTokens ?? before?.promptTokens ?? null,
    completionTokens: after.completionTokens ?? before?.completionTokens ?? null,
    cachedPromptTokens: after.cachedPromptTokens ?? before?.cachedPromptTokens ?? null,
    reasoningTokens: after.reasoningTokens ?? before?.reasoningTokens ?? null,
  };
}
