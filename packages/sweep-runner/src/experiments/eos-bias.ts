import type { SpecDecodeCounts } from "@onpar/metrics-client";
import type { RequestRecord } from "../record.ts";
import { streamTimes } from "../figures/stream-times.ts";
import { splitAtEos, type DecodePart } from "./eos-split.ts";
import { estimateDifference, estimateRatio, type EstimatedFigure, type RatioParts } from "./paired-ratio.ts";

/** One prompt under both stopping rules. */
export interface EosPair {
  readonly promptId: string;
  /** EOS ends the output. */
  readonly honoured: RequestRecord;
  /** The output goes on to the cap. */
  readonly forced: RequestRecord;
}

/** One figure before the natural EOS and after it. */
export interface BeforeAfter {
  readonly before: EstimatedFigure | null;
  readonly after: EstimatedFigure | null;
  /** after - before, over the same prompts. */
  readonly difference: EstimatedFigure | null;
}

/** The figures of one way to part the outputs. */
export interface EosBiasFigures {
  /** Prompts that tell it. */
  readonly prompts: number;
  /** A/D: accepted share of drafted tokens. */
  readonly acceptanceRate: BeforeAfter | null;
  /** Tokens per step: 1 + A/V paired, tokens / steps exact. */
  readonly tokensPerStep: BeforeAfter | null;
  /** Tokens per second of decoding. */
  readonly decodeTokensPerS: BeforeAfter;
}

/** How much of a figure is the workload, and how much the forced length. */
export interface EosBiasResult {
  readonly pairs: number;
  /** Prompts whose output ended on EOS by itself: only they have an after. */
  readonly ended: number;
  /** Prompts whose output reached the cap under both rules. */
  readonly capped: number;
  /** Prompts whose two outputs part before the natural EOS, so that they are not the same text; in no figure. */
  readonly parted: number;
  readonly failed: number;
  /** From the outputs past EOS themselves: where chunks are steps and EOS is seen. Null over HTTP. */
  readonly exact: EosBiasFigures | null;
  /** From the difference of the two requests of each prompt. */
  readonly paired: EosBiasFigures | null;
  /** What a report of each rule says: acceptance over all outputs, forced - honoured. */
  readonly reported: {
    readonly honoured: EstimatedFigure | null;
    readonly forced: EstimatedFigure | null;
    readonly difference: EstimatedFigure | null;
  };
}

/**
 * Compares the same prompts under both stopping rules. Under a forced length a figure is a mixture of the text that the model
 * meant to write and what it wrote after its end; here they are told apart.
 *
 * @param seed of the bootstrap over prompts
 */
export function eosBias(pairs: readonly EosPair[], seed = 0): EosBiasResult {
  const whole = pairs.filter(({ honoured, forced }) => honoured.state === "ok" && forced.state === "ok");
  const ended = whole.filter(
    ({ honoured }) => honoured.finish.reason === "eos" || honoured.finish.reason === "stop",
  );
  const same = ended.filter((pair) => !isParted(pair));
  return {
    pairs: pairs.length,
    ended: ended.length,
    capped: whole.length - ended.length,
    parted: ended.length - same.length,
    failed: pairs.length - whole.length,
    exact: exactFigures(same, seed),
    paired: pairedFigures(same, seed),
    reported: reportedFigures(whole, seed),
  };
}

/**
 * Whether the forced output is another text than the honoured one continued. Told by the place of EOS, else by the texts where they
 * were kept; unknown is taken for the same, as it is under greedy decoding.
 */
function isParted({ honoured, forced }: EosPair): boolean {
  if (honoured.firstEosIndex !== null && forced.firstEosIndex !== null) {
    return honoured.firstEosIndex !== forced.firstEosIndex;
  }
  if (honoured.text === undefined || forced.text === undefined) return false;
  return !forced.text.startsWith(honoured.text);
}

function exactFigures(pairs: readonly EosPair[], seed: number): EosBiasFigures | null {
  const splits = pairs.flatMap(({ forced }) => splitAtEos(forced) ?? []);
  if (splits.length === 0) return null;
  const side = (name: "before" | "after", parts: (part: DecodePart) => RatioParts): RatioParts[] =>
    splits.map((split) => parts(split[name]));
  const perStep = ({ tokens, steps }: DecodePart): RatioParts => ({ numerator: tokens, denominator: steps });
  const perSecond = ({ tokens, seconds }: DecodePart): RatioParts => ({
    numerator: tokens,
    denominator: seconds,
  });
  return {
    prompts: splits.length,
    acceptanceRate: null,
    tokensPerStep: beforeAfter(side("before", perStep), side("after", perStep), seed),
    decodeTokensPerS: beforeAfter(side("before", perSecond), side("after", perSecond), seed),
  };
}

interface PairedParts {
  readonly before: Side;
  readonly after: Side;
}

interface Side {
  readonly counts: SpecDecodeCounts | null;
  readonly tokens: number;
  readonly seconds: number;
}

function pairedFigures(pairs: readonly EosPair[], seed: number): EosBiasFigures | null {
  const parts = pairs.flatMap((pair) => pairedParts(pair) ?? []);
  if (parts.length === 0) return null;
  const drafting = parts.filter(({ before, after }) => before.counts !== null && after.counts !== null);
  const stepping = drafting.filter(
    ({ before, after }) => before.counts?.verifySteps != null && after.counts?.verifySteps != null,
  );
  const figures = (list: readonly PairedParts[], of: (side: Side) => RatioParts): BeforeAfter =>
    beforeAfter(
      list.map(({ before }) => of(before)),
      list.map(({ after }) => of(after)),
      seed,
    );
  return {
    prompts: parts.length,
    acceptanceRate:
      drafting.length === 0
        ? null
        : figures(drafting, ({ counts }) => ({
            numerator: counts?.acceptedTokens ?? 0,
            denominator: counts?.draftTokens ?? 0,
          })),
    tokensPerStep:
      stepping.length === 0
        ? null
        : figures(stepping, ({ counts }) => ({
            numerator: (counts?.verifySteps ?? 0) + (counts?.acceptedTokens ?? 0),
            denominator: counts?.verifySteps ?? 0,
          })),
    decodeTokensPerS: figures(parts, ({ tokens, seconds }) => ({ numerator: tokens, denominator: seconds })),
  };
}

/** What the honoured request did is before, and what the forced one did more than it is after. Null where that is nothing. */
function pairedParts({ honoured, forced }: EosPair): PairedParts | null {
  const before = decoded(honoured);
  const whole = decoded(forced);
  if (before === null || whole === null) return null;
  const tokens = whole.tokens - before.tokens;
  const seconds = whole.seconds - before.seconds;
  if (tokens <= 0 || before.seconds <= 0) return null;
  return { before, after: { tokens, seconds, counts: minus(whole.counts, before.counts) } };
}

function decoded(record: RequestRecord): Side | null {
  const { firstNs, lastNs } = streamTimes(record);
  if (firstNs === null || lastNs === null || record.outputTokens === null || record.outputTokens < 2)
    return null;
  return { counts: record.acceptance, tokens: record.outputTokens - 1, seconds: (lastNs - firstNs) / 1e9 };
}

function minus(whole: SpecDecodeCounts | null, part: SpecDecodeCounts | null): SpecDecodeCounts | null {
  if (whole === null || part === null) return null;
  return {
    verifySteps:
      whole.verifySteps === null || part.verifySteps === null ? null : whole.verifySteps - part.verifySteps,
    draftTokens: whole.draftTokens - part.draftTokens,
    acceptedTokens: whole.acceptedTokens - part.acceptedTokens,
    acceptedPerPosition: null,
  };
}

function reportedFigures(pairs: readonly EosPair[], seed: number): EosBiasResult["reported"] {
  const known = pairs.filter(
    ({ honoured, forced }) => honoured.acceptance !== null && forced.acceptance !== null,
  );
  const parts = (pick: (pair: EosPair) => SpecDecodeCounts | null): RatioParts[] =>
    known.map((pair) => {
      const counts = pick(pair);
      return { numerator: counts?.acceptedTokens ?? 0, denominator: counts?.draftTokens ?? 0 };
    });
  const honoured = parts((pair) => pair.honoured.acceptance);
  const forced = parts((pair) => pair.forced.acceptance);
  return {
    honoured: estimateRatio(honoured, seed),
    forced: estimateRatio(forced, seed),
    difference: estimateDifference(forced, honoured, seed),
  };
}

function beforeAfter(before: readonly RatioParts[], after: readonly RatioParts[], seed: number): BeforeAfter {
  return {
    before: estimateRatio(before, seed),
    after: estimateRatio(after, seed),
    difference: estimateDifference(after, before, seed),
  };
}
