import type { RequestRecord } from "../../record.ts";
import { CTXSWEEP_MINIMUM_TOKENS } from "../request-figures.ts";
import { textEvents } from "./events.ts";
import { Series } from "./series.ts";
import type { Convention, ConventionFigures, ConventionOptions } from "./convention.ts";

const S = 1e9;

/**
 * The context ladder of ctxsweep, one rung: TTFT is the first event with text of any channel; generation is
 * usage / (stream end - TTFT), the median over the repetitions, of which those with fewer than 8 tokens are dropped and
 * counted; prefill is the prompt tokens over the TTFT of the first, cold request. Requests without usage have no rate.
 */
export function ctxsweepConvention(_options: ConventionOptions): Convention {
  const ttft = new Series();
  const generation = new Series();
  const wall = new Series();
  const output = new Series();
  let cold: { readonly sentNs: number; readonly prefill: number | null; readonly ttft: number } | null = null;
  let promptTokens: number | null = null;
  let reps = 0;
  let dropped = 0;
  let failed = 0;

  const add = (record: RequestRecord): void => {
    if (record.phase === "warmup") return;
    const first = textEvents(record)[0]?.[0];
    if (record.state !== "ok" || record.sentNs === null || first === undefined) {
      failed++;
      return;
    }
    reps++;
    const { sentNs } = record;
    const toFirst = (first - sentNs) / S;
    const prompt = record.usage?.promptTokens ?? null;
    const tokens = record.usage?.completionTokens ?? null;
    if (cold === null || sentNs < cold.sentNs) {
      cold = { sentNs, ttft: toFirst, prefill: prompt === null || toFirst <= 0 ? null : prompt / toFirst };
      promptTokens = prompt;
    }
    if (tokens !== null && tokens < CTXSWEEP_MINIMUM_TOKENS) {
      dropped++;
      return;
    }
    const whole = (record.endNs - sentNs) / S;
    ttft.push(toFirst);
    wall.push(whole);
    if (tokens === null || whole <= toFirst) return;
    output.push(tokens);
    generation.push(tokens / (whole - toFirst));
  };

  const figures = (): ConventionFigures => ({
    reps,
    dropped_reps: dropped,
    failed_reps: failed,
    prompt_tokens: promptTokens,
    ttft_cold_s: cold?.ttft ?? null,
    ttft_s: ttft.statistics(null).percentile(50),
    wall_s: wall.statistics(null).percentile(50),
    out_tokens: output.statistics(null).percentile(50),
    prefill_tok_s: cold?.prefill ?? null,
    gen_tok_s: generation.statistics(null).percentile(50),
    gen_tok_s_min: generation.statistics(null).min,
    gen_tok_s_max: generation.statistics(null).max,
  });
  return { add, figures };
}
