import { declaredProtocol, loadOf, type BenchConfig } from "@onpar/bench-config";
import type {
  AcceptanceSummary,
  Distribution,
  JournalHeader,
  RunResult,
  RunSummary,
  SpreadFigure,
} from "@onpar/sweep-runner";

import { describeHost, protocolOf } from "../axes.ts";
import type { FigureName } from "./figures.ts";
import { figures, point, single, statistics } from "./make.ts";
import { RESULT_SCHEMA, type Figure, type Point, type PointAcceptance, type Result } from "./schema.ts";

/** Values of single requests, which a run's result does not hold: read from its records. */
export interface RequestValues {
  /** Prompt of each request that ended well, in the order of the values. */
  readonly promptIds: readonly string[];
  /** Repetition of each; left out where there was one. */
  readonly repetitions?: readonly number[] | undefined;
  readonly values: Readonly<Partial<Record<FigureName, readonly (number | null)[]>>>;
}

/**
 * A run of this program as a result like those of any other harness. Its title is what tells runs apart in a table.
 *
 * @param requests values of its requests, so that a comparison can pair prompts
 */
export function resultOfRun(run: RunResult, title: string | null, requests?: RequestValues): Result {
  return {
    schema: RESULT_SCHEMA,
    source: { format: run.schema, tool: run.tool.name, version: run.tool.version },
    title,
    startedAt: run.startedAt,
    interrupted: run.interrupted,
    protocol: protocolOf(run),
    points: [
      pointOf(
        {
          summary: run.summary,
          config: run.config,
          startedAt: run.startedAt,
          model: run.protocol.model.resolved,
          concurrency: run.protocol.load.concurrency,
          rate: run.protocol.load.rate ?? null,
          temperature: run.protocol.sampling.temperature,
          draftBudget: run.protocol.speculation.draftBudget,
        },
        requests,
      ),
    ],
    findings: run.findings.map(({ severity, code, message }) => ({ severity, code, message })),
    notes: [],
  };
}

/**
 * A run of which only the records are left: the figures are all there, the protocol is what its configuration stated and not
 * what was resolved.
 */
export function resultOfRecords(
  header: JournalHeader,
  summary: RunSummary,
  {
    title,
    interrupted,
    requests,
  }: {
    readonly title: string | null;
    readonly interrupted: boolean | null;
    readonly requests?: RequestValues | undefined;
  },
): Result {
  const { config, startedAt, tool, schema, host } = header;
  const stated = declaredProtocol(config);
  const load = loadOf(config);
  return {
    schema: RESULT_SCHEMA,
    source: { format: schema, tool: tool.name, version: tool.version },
    title,
    startedAt,
    interrupted,
    protocol: {
      ...stated,
      hardware: { device: config.declared.hardware, clientHost: describeHost(host) },
      outputTokens: lengthsOf(summary),
    },
    points: [
      pointOf(
        {
          summary,
          config,
          startedAt,
          model: config.target.model,
          concurrency: load.concurrency,
          rate: load.rate ?? null,
          temperature: config.sampling.temperature,
          draftBudget: stated.speculation?.draftBudget ?? null,
        },
        requests,
      ),
    ],
    findings: [],
    notes: [
      "Computed again from records: the protocol is what the configuration states, and no audit was made of what was resolved.",
    ],
  };
}

/** What a point is made of. */
interface PointSource {
  readonly summary: RunSummary;
  readonly config: BenchConfig;
  readonly startedAt: string;
  readonly model: string | null;
  readonly concurrency: number | null;
  readonly rate: number | null;
  readonly temperature: number;
  readonly draftBudget: number | null;
}

function pointOf(source: PointSource, requests: RequestValues | undefined): Point {
  const { summary, config, startedAt, draftBudget } = source;
  const { latency, rates, spread, outputs, goodput } = summary;
  const repeated = spread?.figures ?? {};
  const of = (name: FigureName, distribution: Distribution | null, spreadName?: string): Figure | null => {
    const values = requests?.values[name];
    const made = ofDistribution(distribution, spreadName === undefined ? undefined : repeated[spreadName]);
    return made === null || values === undefined ? made : { ...made, values: [...values] };
  };
  const whole = (value: number | null, spreadName?: string): Figure | null => {
    const made = single(value, "whole run");
    const over = spreadName === undefined ? undefined : repeated[spreadName];
    return made === null || over === undefined ? made : { ...made, repetitions: [...over.values] };
  };
  const hasContext = config.datasetPath === null;
  return point({
    label: source.model,
    date: startedAt,
    at: {
      contextTokens: hasContext ? config.inputLen : null,
      concurrency: source.concurrency,
      ratePerS: source.rate,
      temperature: source.temperature,
    },
    counts: { ...summary.counts },
    errors: { ...summary.errors },
    durationS: summary.durationS,
    reps: spread?.repetitions ?? null,
    promptTokens: ofDistribution(summary.promptTokens),
    outputTokens: ofDistribution(outputs.lengths),
    totalPromptTokens: total(summary.promptTokens),
    totalOutputTokens: total(outputs.lengths),
    cachedPromptTokens: summary.cachedPromptTokens,
    reachedCap: outputs.lengths === null ? null : outputs.reachedCap,
    finishReasons: { ...outputs.finishReasons },
    acceptance: acceptanceOf(summary.acceptance, draftBudget),
    clientBound: summary.client?.clientBound ?? null,
    requestIds: requests === undefined ? null : [...requests.promptIds],
    requestRepetitions: requests?.repetitions === undefined ? null : [...requests.repetitions],
    figures: figures({
      ttftMs: of("ttftMs", latency.ttftMs, "ttftMs.p50"),
      firstAnswerMs: of("firstAnswerMs", latency.firstAnswerMs),
      tpotMs: of("tpotMs", latency.tpotMs, "tpotMs.p50"),
      itlChunkMs: of("itlChunkMs", latency.itlChunkMs),
      itlTokenMs: of("itlTokenMs", latency.itlTokenMs),
      e2elMs: of("e2elMs", latency.e2elMs, "e2elMs.p50"),
      queueMs: of("queueMs", latency.queueMs),
      decodeCtxsweep: of("decodeCtxsweep", rates.decodeCtxsweep, "decodeCtxsweep.p50"),
      decodeVllm: of("decodeVllm", rates.decodeVllm),
      prefill: of("prefill", rates.prefill),
      outputTokensPerS: whole(rates.outputTokensPerS, "outputTokensPerS"),
      totalTokensPerS: whole(rates.totalTokensPerS),
      requestsPerS: whole(rates.requestsPerS, "requestsPerS"),
      peakOutputTokensPerS: whole(rates.peakOutputTokensPerS),
      meanConcurrency: whole(summary.meanConcurrency),
      goodput: whole(goodput?.requestsPerS ?? null),
      ...acceptanceFigures(summary.acceptance, draftBudget),
    }),
  });
}

function ofDistribution(distribution: Distribution | null, repeated?: SpreadFigure): Figure | null {
  if (distribution === null) return null;
  const { n, min, mean, p50, p90, p95, p99, max, ci, modality } = distribution;
  return statistics({
    n,
    min,
    mean,
    p50,
    p90,
    p95,
    p99,
    max,
    ci: ci === undefined ? null : [ci.p50[0], ci.p50[1]],
    multimodal: modality?.multimodal ?? null,
    repetitions: repeated === undefined ? null : [...repeated.values],
  });
}

/** Whole numbers of tokens: n times their mean, within the rounding of the mean. */
function total(lengths: Distribution | null): number | null {
  return lengths === null ? null : Math.round(lengths.mean * lengths.n);
}

function acceptanceOf(
  acceptance: AcceptanceSummary | null,
  draftBudget: number | null,
): PointAcceptance | null {
  if (acceptance === null) return null;
  return {
    verifySteps: acceptance.verifySteps,
    draftTokens: acceptance.draftTokens,
    acceptedTokens: acceptance.acceptedTokens,
    draftBudget,
    perPositionRate: acceptance.perPositionRate === null ? null : [...acceptance.perPositionRate],
    effectiveTokensPerStep: acceptance.effectiveTokensPerStep,
    source: acceptance.source,
  };
}

function acceptanceFigures(acceptance: AcceptanceSummary | null, draftBudget: number | null) {
  const length = acceptance?.meanAcceptanceLength ?? null;
  return {
    acceptanceRate: single(acceptance?.rate ?? null, "whole run"),
    acceptanceLength: single(length, "whole run"),
    saturation: single(
      length === null || draftBudget === null ? null : length / (draftBudget + 1),
      "whole run",
    ),
  };
}

/** Several results as one: the rungs of a ladder that were run one by one. */
export function joinResults(results: readonly [Result, ...Result[]], title: string | null): Result {
  const [first] = results;
  return {
    ...first,
    title,
    interrupted: results.some(({ interrupted }) => interrupted === true) || first.interrupted,
    points: results.flatMap(({ points, protocol }) =>
      points.map((one) => ({ ...one, protocol: { ...protocol, ...one.protocol } })),
    ),
    findings: results.flatMap(({ findings }) => findings),
    notes: [...new Set(results.flatMap(({ notes }) => notes))],
  };
}

function lengthsOf({ outputs: { lengths } }: RunSummary) {
  return lengths === null ? null : { min: lengths.min, p50: lengths.p50, max: lengths.max };
}
