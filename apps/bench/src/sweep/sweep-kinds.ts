import { presetNamed, type BenchConfig } from "@onpar/bench-config";
import {
  CONTEXT_MARGIN,
  fitRungs,
  measureConcurrencyRung,
  measureContextRung,
  measureRun,
  type LadderContext,
  type SweepAxis,
  type SweepPlan,
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
  /** The rungs that the system has room for; null where every system has. */
  readonly fit:
    | ((values: readonly number[], facts: SystemFacts, config: BenchConfig) => readonly number[])
    | null;
  readonly measure: (step: SweepStep, context: LadderContext) => Promise<object>;
  /** What all points say together; null for a sweep whose rows are its result. */
  readonly conclude?: (folder: string, plan: SweepPlan) => Promise<Conclusion>;
}

/** The result of an experiment, for programs and for people. */
export interface Conclusion {
  readonly json: object;
  readonly text: string;
  /** Whether the experiment shows that what should be the same is not. */
  readonly isBreach: boolean;
}

/** Tokens that a task after a context takes, and a template around it. */
const TASK_TOKENS = 128;

/** Prompts of ladders are made here, whatever the preset calls them. */
export const OWN_PROMPTS = ["dataset", "cache"];

export const SWEEP_KINDS: readonly SweepKind[] = [
  {
    name: "context",
    summary: "context ladder: TTFT cold and warm, prefill and decode rate, acceptance over prompt lengths",
    values: { integer: true, least: 16 },
    defaults: { preset: "ctxsweep", skipChatTemplate: false },
    carriesOut: OWN_PROMPTS,
    rungs: rungsOf("ctxsweep"),
    axis: (_, values) => ({ field: "inputLen", values }),
    fit: fitContext(TASK_TOKENS),
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
    fit: null,
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
    fit: null,
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
    fit: null,
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
    fit: null,
    measure: measureRun,
  },
];

/** @param besides tokens of the task */
export function fitContext(besides: number): NonNullable<SweepKind["fit"]> {
  return (values, { contextLimit }, { maxTokens, outputLen }) =>
    fitRungs(values, contextLimit, (maxTokens ?? outputLen) + besides + CONTEXT_MARGIN);
}

export function rungsOf(preset: string): readonly number[] {
  return (presetNamed(preset)?.ladder?.values ?? []).filter((value) => typeof value === "number");
}
