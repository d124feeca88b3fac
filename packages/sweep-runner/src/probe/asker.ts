import type { JsonValue } from "@onpar/bench-config";
import type { SpecDecodeCounts } from "@onpar/metrics-client";
import type { ControlClient } from "../control-client.ts";
import { RunError } from "../errors.ts";
import type { RecordedUsage } from "../record.ts";
import { AnswerStream } from "../stream/answer-stream.ts";
import { answerFormats } from "../stream/formats.ts";
import { errorInBody } from "../stream/server-message.ts";
import { StreamTrace } from "../stream/stream-trace.ts";

/** One small answer. */
export interface ProbeAnswer {
  readonly status: number;
  /** Why it is none; null for an answer. */
  readonly problem: string | null;
  readonly content: string;
  readonly reasoning: string;
  readonly finish: string | null;
  readonly usage: RecordedUsage | null;
  readonly tokenIds: number | null;
  readonly acceptance: SpecDecodeCounts | null;
  /** The answer as it came. */
  readonly raw: string;
}

/** Asks for small generations, and for no more than it may. */
export interface Asker {
  readonly generations: number;
  /** What an answer told of its drafts; null when none did. */
  readonly acceptance: SpecDecodeCounts | null;
  chat(fields: Readonly<Record<string, JsonValue>>, text?: string): Promise<ProbeAnswer>;
  completion(
    fields: Readonly<Record<string, JsonValue>>,
    prompt?: string | readonly number[],
  ): Promise<ProbeAnswer>;
}

/** No more may be asked: requests or time are used up. */
export class ProbeLimitReached extends Error {}

export interface AskerLimits {
  readonly generations: number;
  /** On the clock of `performance.now()`, ms. */
  readonly untilMs: number;
}

export const PROBE_TEXT = "Reply with the one word: yes";

export function createAsker(
  control: ControlClient,
  model: string,
  limits: AskerLimits,
  signal: AbortSignal | undefined,
): Asker {
  let generations = 0;
  let acceptance: SpecDecodeCounts | null = null;
  const ask = async (path: string, body: Readonly<Record<string, unknown>>): Promise<ProbeAnswer> => {
    if (generations >= limits.generations)
      throw new ProbeLimitReached(`${limits.generations} requests were sent`);
    const leftMs = limits.untilMs - performance.now();
    if (leftMs <= 0) throw new ProbeLimitReached("the time is over");
    generations++;
    const timeout = AbortSignal.timeout(Math.ceil(leftMs));
    const stop = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
    try {
      const answer = await control.post(path, { model, temperature: 0, max_tokens: 16, ...body }, stop);
      const read = readAnswer(answer.status, answer.text, answer.contentType, body.stream === true);
      // Of the answer that tells most: in one of a single token nothing is drafted.
      if ((read.acceptance?.draftTokens ?? -1) > (acceptance?.draftTokens ?? -1))
        acceptance = read.acceptance;
      return read;
    } catch (error) {
      if (signal?.aborted !== true && timeout.aborted) throw new ProbeLimitReached("the time is over");
      throw error;
    }
  };
  return {
    get generations() {
      return generations;
    },
    get acceptance() {
      return acceptance;
    },
    chat: (fields, text = PROBE_TEXT) =>
      ask("/v1/chat/completions", { messages: [{ role: "user", content: text }], ...fields }),
    completion: (fields, prompt = PROBE_TEXT) => ask("/v1/completions", { prompt, ...fields }),
  };
}

function readAnswer(status: number, text: string, contentType: string, streamed: boolean): ProbeAnswer {
  const trace = new StreamTrace();
  const stream = new AnswerStream(answerFormats.openai, trace);
  let problem: string | null = null;
  if (status >= 300) problem = `HTTP ${status}: ${errorInBody(text, contentType)}`;
  else if (streamed) {
    stream.push(Buffer.from(text), 0);
    stream.end(0);
    problem = stream.verdict()?.message ?? null;
  } else {
    try {
      stream.takeWhole(JSON.parse(text) as unknown, 0);
      problem = stream.verdict()?.message ?? null;
    } catch {
      problem = `no JSON: ${errorInBody(text, contentType)}`;
    }
  }
  return {
    status,
    problem,
    content: trace.text("content").toString("utf8"),
    reasoning: trace.text("reasoning").toString("utf8"),
    finish: stream.finish.raw,
    usage: stream.usage,
    tokenIds: stream.tokenIdCount,
    acceptance: stream.acceptance,
    raw: text,
  };
}

/** What became of a check that could not be made; what ends the whole probe is thrown on. */
export function whyUnknown(error: unknown): string {
  if (error instanceof ProbeLimitReached) return `not proved: ${error.message}`;
  if (error instanceof RunError && error.code !== "INTERRUPTED") return `not proved: ${error.message}`;
  throw error;
}
