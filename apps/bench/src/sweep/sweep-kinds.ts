import { presetNamed, type BenchConfig } from "@onpar/bench-config";
import {
  CONTEXT_MARGIN,
  fitRungs,
  measureConcurrencyRung,
  measureContextRung,
  measureRun,
  type LadderContext,
  type SweepAxis,
  type SweepStep,
  type SystemFacts,
} from "@onpar/sweep-runner";

/** A kind of sweep. */
export interface SweepKind {
  readonly name: string;
  readonly summary: string;
  /** Unit of the values of its ladder; null for a sweep whose axes the user names. */
  readonly values: { readonly integer: boolean; readonly least: number } | null;
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly carriesOut: readonly string[];
  /** Rungs without --values. */
  readonly rungs: readonly number[];
  /** The setting that is varied, and those that take the same value. */
  readonly axis: (config: BenchConfig, values: readonly number[]) => SweepAxis | null;
  /** The rungs that the system has room for. */
  readonly fit: (values: readonly number[], facts: SystemFacts, config: BenchConfig) => readonly number[];
  readonly measure: (step: SweepStep, context: LadderContext) => Promise<object>;
}

const all = (values: readonly number[]): readonly number[] => values;
/** Tokens that a task after a context takes, and a template around it. */
const TASK_TOKENS = 128;

/** Prompts of ladders are made here, whatever the preset calls them. */
const OWN_PROMPTS = ["dataset", "cache"];

export const SWEEP_KINDS: readonly SweepKind[] = [
  {
    name: "context",
    summary: "context ladder: TTFT cold and warm, prefill and decode rate, acceptance over prompt lengths",
    values: { integer: true, least: 16 },
    defaults: { preset: "ctxsweep", skipChatTemplate: false },
    carriesOut: OWN_PROMPTS,
    rungs: rungsOf("ctxsweep"),
    axis: (_, values) => ({ field: "inputLen", values }),
    fit: (values, { contextLimit }, config) =>
      fitRungs(values, contextLimit, (config.maxTokens ?? config.outputLen) + TASK_TOKENS + CONTEXT_MARGIN),
    measure: measureContextRung,
  },
  {
    name: "concurrency",
    summary:
      "concurrency ladder: aggregate and per-stream rate, TTFT and acceptance over streams that start together",
    values: { integer: true, least: 1 },
    defaults: { preset: "concbench", skipChatTemplate: false },
    carriesOut: OWN_PROMPTS,
    rungs: rungsOf("concbench"),
    axis: (_, values) => ({ field: "concurrency", values, follows: ["numPrompts"] }),
    fit: all,
    measure: measureConcurrencyRung,
  },
  {
    name: "rate",
    summary: "rate ladder: latencies and goodput over requests per second",
    values: { integer: false, least: 0.001 },
    defaults: { load: { kind: "poisson", rate: 1 } },
    carriesOut: [],
    rungs: [1, 2, 4, 8],
    axis: (_, values) => ({ field: "load.rate", values }),
    fit: all,
    measure: measureRun,
  },
  {
    name: "draft",
    summary: "draft-budget ladder: acceptance by position and decode rate over draft budgets K",
    values: { integer: true, least: 0 },
    defaults: {},
    carriesOut: [],
    rungs: [1, 3, 5, 8],
    axis: ({ target }, values) =>
      target.endpoint === "engine"
        ? { field: "engine.draftTokens", values }
        : { field: "speculation.draftTokens", values },
    fit: all,
    measure: measureRun,
  },
  {
    name: "points",
    summary: "every combination of the settings that --sweep varies",
    values: null,
    defaults: {},
    carriesOut: [],
    rungs: [],
    axis: () => null,
    fit: all,
    measure: measureRun,
  },
];

function rungsOf(preset: string): readonly number[] {
  return (presetNamed(preset)?.ladder?.values ?? []).filter((value) => typeof value === "number");
}
