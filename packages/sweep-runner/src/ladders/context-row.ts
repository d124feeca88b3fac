import type { RequestRecord } from "../record.ts";
import type { RunResult } from "../result.ts";
import { CTXSWEEP_MINIMUM_TOKENS, decodeRateCtxsweep, ttftMs } from "../figures/request-figures.ts";
import {
  countsOf,
  inSeconds,
  decodeBytesPerS,
  medianOf,
  rungAcceptance,
  rungFindings,
  rungOrigin,
  type RungAcceptance,
  type RungFindings,
  type RungOrigin,
} from "./row-figures.ts";

/** One rung of a context ladder. Rates are the comparator's: see each field. */
export interface ContextRow extends RungAcceptance, RungFindings, RungOrigin {
  readonly kind: "context";
  /** Tokens that the context was cut to. */
  readonly contextTarget: number;
  /** Tokens of tag and context as the server's tokenizer counts them. */
  readonly contextTokens: number | null;
  /** Of the whole prompt, as the server says: template and task included. */
  readonly promptTokens: number | null;
  readonly promptBytes: number;
  readonly temperature: number;
  /** Of the first request, which no cache knows, s. */
  readonly coldTtftS: number | null;
  /** Of the request after all repetitions, s. */
  readonly warmTtftS: number | null;
  /** Prompt tokens / cold TTFT. */
  readonly prefillTokensPerS: number | null;
  readonly prefillBytesPerS: number | null;
  /** Median over the repetitions of n / (stream end - TTFT). */
  readonly decodeTokensPerS: number | null;
  readonly decodeBytesPerS: number | null;
  /** Tokens of each repetition's output. */
  readonly outputTokens: readonly (number | null)[];
  readonly finishReasons: Readonly<Record<string, number>>;
  readonly reps: number;
  readonly ok: number;
  readonly failed: number;
  /** Repetitions that are in no rate, because their output has fewer than 8 tokens. */
  readonly shortDropped: number;
  readonly cachedPromptTokens: number | null;
}

/** What is known of a rung beside its records. */
export interface ContextRowInput {
  readonly records: readonly RequestRecord[];
  readonly result: RunResult;
  readonly contextTarget: number;
  readonly contextTokens: number | null;
  readonly promptBytes: number;
  readonly draftBudget: number | null;
}

/**
 * Figures of a rung: its records are the repetitions, the first of them cold, and one warm request after them.
 * Failed requests are counted and in no figure.
 */
export function contextRow(input: ContextRowInput): ContextRow {
  const { result, contextTarget, contextTokens, promptBytes } = input;
  const records = input.records.toSorted((a, b) => a.scheduledNs - b.scheduledNs);
  const reps = records.slice(0, -1);
  const measured = reps.filter(({ state }) => state === "ok");
  const cold = reps[0]?.state === "ok" ? reps[0] : undefined;
  const warm = records.at(-1);
  const coldTtftS = cold === undefined ? null : inSeconds(ttftMs(cold));
  const promptTokens = cold?.usage?.promptTokens ?? null;
  return {
    kind: "context",
    contextTarget,
    contextTokens,
    promptTokens,
    promptBytes,
    temperature: result.config.sampling.temperature,
    coldTtftS,
    warmTtftS: warm?.state === "ok" ? inSeconds(ttftMs(warm)) : null,
    prefillTokensPerS: per(promptTokens, coldTtftS),
    prefillBytesPerS: per(promptBytes, coldTtftS),
    decodeTokensPerS: medianOf(measured.map((record) => decodeRateCtxsweep(record))),
    decodeBytesPerS: medianOf(measured.map(decodeBytesPerS)),
    outputTokens: measured.map((record) => record.outputTokens),
    finishReasons: countsOf(measured.map(({ finish }) => finish.reason)),
    reps: reps.length,
    ok: records.filter(({ state }) => state === "ok").length,
    failed: records.filter(({ state }) => state !== "ok").length,
    shortDropped: measured.filter(({ outputTokens }) => (outputTokens ?? 0) < CTXSWEEP_MINIMUM_TOKENS).length,
    cachedPromptTokens: result.summary.cachedPromptTokens,
    ...rungOrigin([result]),
    ...rungFindings([result]),
    ...rungAcceptance([result], input.draftBudget),
  };
}

function per(amount: number | null, seconds: number | null): number | null {
  return amount === null || seconds === null || seconds <= 0 ? null : amount / seconds;
}
