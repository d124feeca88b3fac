import type { Exchanged } from "../load/recorder.ts";
import type { SpecDecodeCounts } from "@onpar/metrics-client";
import type { ErrorKind } from "../record.ts";
import type { Finish } from "../stream/finish.ts";
import { UNTOLD } from "../stream/stream-trace.ts";
import type { Outcome } from "../targets/target.ts";

/** One request that has ended, as the worker that sent it knows it. */
export interface EndedRequest {
  /** Its number in the phase. */
  readonly index: number;
  readonly scheduledNs: number;
  readonly exchanged: Exchanged;
}

/**
 * Requests that have ended, in columns: a worker packs them while it waits for sockets, and structured cloning of one
 * object per request would cost more than the request itself. NaN stands for null.
 */
export interface RecordBlock {
  readonly count: number;
  /** {@link NUMBERS} per request, then those of its usage. */
  readonly numbers: Float64Array;
  /** Finish reason as sent and normalised, kind and message of the error. */
  readonly labels: readonly (readonly [Finish, ErrorKind | null, string | null] | null)[];
  readonly acceptance: readonly (SpecDecodeCounts | null)[] | null;
  readonly atNs: Float64Array;
  readonly kinds: Uint8Array;
  readonly bytes: Uint32Array;
  readonly tokens: Int32Array | null;
  /** Texts of all requests, UTF-8: of each one reasoning, content, tool. */
  readonly text: Uint8Array;
}

/** Numbers of a request in the order of their columns. */
const NUMBERS = 21;

export function packBlock(ended: readonly EndedRequest[]): RecordBlock {
  let events = 0;
  let textBytes = 0;
  let hasTokens = false;
  let hasAcceptance = false;
  for (const { exchanged } of ended) {
    const { texts } = exchanged;
    events += exchanged.events;
    textBytes += texts.reasoning.length + texts.content.length + texts.tool.length;
    hasTokens ||= exchanged.columns.tokens !== null;
    hasAcceptance ||= exchanged.outcome.acceptance !== null;
  }
  const numbers = new Float64Array(ended.length * NUMBERS);
  const atNs = new Float64Array(events);
  const kinds = new Uint8Array(events);
  const bytes = new Uint32Array(events);
  const tokens = hasTokens ? new Int32Array(events).fill(UNTOLD) : null;
  const text = new Uint8Array(textBytes);
  const labels: [Finish, ErrorKind | null, string | null][] = [];
  let event = 0;
  let character = 0;
  for (const [slot, { index, scheduledNs, exchanged }] of ended.entries()) {
    const { outcome, columns, texts } = exchanged;
    numbers.set(numbersOf(index, scheduledNs, exchanged), slot * NUMBERS);
    labels.push([outcome.finish, outcome.error?.kind ?? null, outcome.error?.message ?? null]);
    atNs.set(columns.atNs.subarray(0, exchanged.events), event);
    kinds.set(columns.kinds.subarray(0, exchanged.events), event);
    bytes.set(columns.bytes.subarray(0, exchanged.events), event);
    if (columns.tokens !== null) tokens?.set(columns.tokens.subarray(0, exchanged.events), event);
    event += exchanged.events;
    for (const part of [texts.reasoning, texts.content, texts.tool]) {
      text.set(part, character);
      character += part.length;
    }
  }
  const acceptance = hasAcceptance ? ended.map(({ exchanged }) => exchanged.outcome.acceptance) : null;
  return { count: ended.length, numbers, labels, acceptance, atNs, kinds, bytes, tokens, text };
}

/** The memory of a block, to be handed over instead of copied. */
export function memoryOf({ numbers, atNs, kinds, bytes, tokens, text }: RecordBlock): ArrayBuffer[] {
  const columns = [numbers, atNs, kinds, bytes, text, ...(tokens === null ? [] : [tokens])];
  return columns.map(({ buffer }) => buffer as ArrayBuffer);
}

export function* unpackBlock(block: RecordBlock): Generator<EndedRequest> {
  let event = 0;
  let character = 0;
  const text = Buffer.from(block.text.buffer, block.text.byteOffset, block.text.byteLength);
  for (let slot = 0; slot < block.count; slot++) {
    let column = slot * NUMBERS;
    const next = (): number => block.numbers[column++] ?? NaN;
    const nullable = (): number | null => {
      const value = next();
      return Number.isNaN(value) ? null : value;
    };
    const take = (length: number): Buffer => text.subarray(character, (character += length));
    const index = next();
    const scheduledNs = next();
    const sentNs = nullable();
    const headersNs = nullable();
    const endNs = next();
    const status = nullable();
    const isReused = nullable();
    const connectNs = nullable();
    const attempts = next();
    const retryAfterS = nullable();
    const tokenIdCount = nullable();
    const ending = next();
    const events = next();
    const texts = { reasoning: take(next()), content: take(next()), tool: take(next()) };
    const hasUsage = next() === 1;
    const usage = {
      promptTokens: nullable(),
      completionTokens: nullable(),
      cachedPromptTokens: nullable(),
      reasoningTokens: nullable(),
    };
    const [finish, errorKind, message] = block.labels[slot] ?? NO_LABELS;
    const outcome: Outcome = {
      endNs,
      status,
      connection: isReused === null ? null : isReused === 1 ? "reused" : "new",
      connectNs,
      attempts,
      retryAfterS,
      finish,
      usage: hasUsage ? usage : null,
      tokenIdCount,
      acceptance: block.acceptance?.[slot] ?? null,
      firstEosIndex: null,
      error: errorKind === null ? null : { kind: errorKind, message: message ?? "" },
      aborted: ending === ABORTED,
      dropped: ending === DROPPED,
    };
    const columns = {
      atNs: block.atNs.subarray(event, event + events),
      kinds: block.kinds.subarray(event, event + events),
      bytes: block.bytes.subarray(event, event + events),
      tokens: block.tokens?.subarray(event, event + events) ?? null,
    };
    event += events;
    yield { index, scheduledNs, exchanged: { sentNs, headersNs, outcome, events, columns, texts } };
  }
}

const ENDED = 0;
const ABORTED = 1;
const DROPPED = 2;
const NO_LABELS = [{ raw: null, reason: "unknown" }, null, null] as const;

function numbersOf(index: number, scheduledNs: number, exchanged: Exchanged): number[] {
  const { sentNs, headersNs, outcome, events, texts } = exchanged;
  const { usage, connection } = outcome;
  return [
    index,
    scheduledNs,
    sentNs ?? NaN,
    headersNs ?? NaN,
    outcome.endNs,
    outcome.status ?? NaN,
    connection === null ? NaN : connection === "reused" ? 1 : 0,
    outcome.connectNs ?? NaN,
    outcome.attempts ?? (sentNs === null ? 0 : 1),
    outcome.retryAfterS ?? NaN,
    outcome.tokenIdCount ?? NaN,
    outcome.dropped === true ? DROPPED : outcome.aborted ? ABORTED : ENDED,
    events,
    texts.reasoning.length,
    texts.content.length,
    texts.tool.length,
    usage === null ? 0 : 1,
    usage?.promptTokens ?? NaN,
    usage?.completionTokens ?? NaN,
    usage?.cachedPromptTokens ?? NaN,
    usage?.reasoningTokens ?? NaN,
  ];
}
