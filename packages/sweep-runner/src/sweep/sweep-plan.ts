import { createHash } from "node:crypto";
import { benchConfigSchema, type BenchConfig } from "@onpar/bench-config";
import { serverCommand } from "../managed/server-command.ts";
import { RunError } from "../errors.ts";
import { createRng, shuffled } from "../rng.ts";

/** A value that a swept setting takes. */
export type AxisValue = string | number | boolean | null;

/** A setting that is varied, by its path in the configuration. */
export interface SweepAxis {
  readonly field: string;
  readonly values: readonly AxisValue[];
  /** Settings that take the same value: `numPrompts` where each of `concurrency` streams sends one request. */
  readonly follows?: readonly string[];
  /** The values are names that the measurement understands, such as arms or types of content, and no setting takes them. */
  readonly isLabel?: boolean;
}

/** One combination of values. */
export interface SweepPoint {
  /** Stable over runs of the same axes: `inputLen=512,concurrency=4`. */
  readonly id: string;
  readonly values: Readonly<Record<string, AxisValue>>;
  readonly config: BenchConfig;
}

/** One measurement that is taken, recorded and resumed as a whole. */
export interface SweepStep {
  /** Stable over runs of the same plan: `boot1/inputLen=512` or `boot1/rep2/inputLen=512`. */
  readonly id: string;
  /** Start of the server that it belongs to, from 1. */
  readonly boot: number;
  /** From 1; null where one step takes all repetitions of its point. */
  readonly rep: number | null;
  readonly point: SweepPoint;
  /** What is measured, repetitions included. */
  readonly config: BenchConfig;
}

/** All measurements in the order in which they are taken. */
export interface SweepPlan {
  /** sha256 (hex) of the configuration, the axes and the order: a journal belongs to one plan. */
  readonly hash: string;
  readonly config: BenchConfig;
  readonly axes: readonly SweepAxis[];
  readonly points: readonly SweepPoint[];
  readonly steps: readonly SweepStep[];
}

/** A sweep has a folder for what its measurements leave. */
const NO_FILES = {
  output: null,
  outputJson: null,
  outputCsv: null,
  outputMarkdown: null,
  outputHtml: null,
  outputTokenIds: null,
};

/** More points than this are a mistake in an axis rather than a plan. */
const MAX_STEPS = 100_000;

/**
 * Lays out a sweep: every combination of the axes, each with its repetitions, in each boot. `sweep.order` says in which order:
 * `given` takes all repetitions of a point one after the other, `interleaved` goes through the points once per repetition, and
 * `shuffled` does so in an order of its own for every repetition, drawn from the seed.
 *
 * @param axes default: `config.sweep.axes`
 * @throws {RunError} `SWEEP_INVALID` naming the axis and the value
 */
export function planSweep(config: BenchConfig, axes: readonly SweepAxis[] = config.sweep.axes): SweepPlan {
  const points = pointsOf(config, axes);
  const { reps, boots } = config.repetition;
  const { order } = config.sweep;
  const count = boots * points.length * (order === "given" ? 1 : reps);
  if (count > MAX_STEPS)
    throw invalid(`${count} measurements are planned, more than ${MAX_STEPS}: leave out values`);
  const steps: SweepStep[] = [];
  for (let boot = 1; boot <= boots; boot++) {
    if (order === "given") {
      for (const point of groupedByServer(points)) steps.push(stepOf(point, boot, null));
      continue;
    }
    for (let rep = 1; rep <= reps; rep++) {
      const round =
        order === "shuffled" ? shuffled(points, createRng(config.seed, boot * (reps + 1) + rep)) : points;
      for (const point of groupedByServer(round)) steps.push(stepOf(point, boot, rep));
    }
  }
  return { hash: hashOf(config, axes), config, axes, points, steps };
}

function pointsOf(config: BenchConfig, axes: readonly SweepAxis[]): SweepPoint[] {
  let combinations: Record<string, AxisValue>[] = [{}];
  for (const axis of axes) {
    if (axis.values.length === 0) throw invalid(`the axis ${axis.field} has no values`);
    if (new Set(axis.values.map((value) => JSON.stringify(value))).size < axis.values.length) {
      throw invalid(
        `the axis ${axis.field} takes a value twice: use more repetitions to measure a point again`,
      );
    }
    if (combinations.length * axis.values.length > MAX_STEPS) {
      throw invalid(`the axes have more than ${MAX_STEPS} combinations: leave out values`);
    }
    combinations = combinations.flatMap((before) =>
      axis.values.map((value) => ({ ...before, [axis.field]: value })),
    );
  }
  return combinations.map((values) => ({
    id: idOf(values),
    values,
    config: configWith(config, axes, values),
  }));
}

function idOf(values: Readonly<Record<string, AxisValue>>): string {
  const parts = Object.entries(values).map(([field, value]) => `${field}=${String(value)}`);
  return parts.length === 0 ? "point" : parts.join(",");
}

function configWith(
  config: BenchConfig,
  axes: readonly SweepAxis[],
  values: Readonly<Record<string, AxisValue>>,
): BenchConfig {
  const draft = structuredClone({ ...config });
  for (const { field, follows = [], isLabel = false } of axes) {
    if (isLabel) continue;
    for (const path of [field, ...follows]) setAt(draft, path, values[field]);
  }
  // A point is one measurement: what describes the plan is not part of it.
  Reflect.set(draft, "sweep", {});
  const parsed = benchConfigSchema.safeParse(draft);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join(".") ?? "";
  throw invalid(`${idOf(values)}: ${where}: ${issue?.message ?? "is not valid"}`);
}

function setAt(target: object, path: string, value: unknown): void {
  const keys = path.split(".");
  const last = keys.pop() ?? path;
  let group = target;
  for (const key of keys) {
    const inner: unknown = Object.hasOwn(group, key) ? Reflect.get(group, key) : undefined;
    if (typeof inner !== "object" || inner === null) throw invalid(`${path} is no setting that can be swept`);
    group = inner;
  }
  if (!Object.hasOwn(group, last) && last !== "enableThinking") {
    throw invalid(`${path} is no setting that can be swept`);
  }
  Reflect.set(group, last, value);
}

/** Points that need another server come after each other, so that it is started once; otherwise as given. */
function groupedByServer(points: readonly SweepPoint[]): SweepPoint[] {
  const groups = new Map<string, SweepPoint[]>();
  for (const point of points) {
    const key = JSON.stringify(serverCommand(point.config));
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [point]);
    else group.push(point);
  }
  return [...groups.values()].flat();
}

function stepOf(point: SweepPoint, boot: number, rep: number | null): SweepStep {
  const { config } = point;
  const { reps } = config.repetition;
  return {
    id: rep === null ? `boot${boot}/${point.id}` : `boot${boot}/rep${rep}/${point.id}`,
    boot,
    rep,
    point,
    config: {
      ...config,
      repetition: { ...config.repetition, boots: 1, reps: rep === null ? reps : 1 },
      ...NO_FILES,
    },
  };
}

function hashOf(config: BenchConfig, axes: readonly SweepAxis[]): string {
  return createHash("sha256")
    .update(JSON.stringify([{ ...config, ...NO_FILES }, axes]))
    .digest("hex");
}

function invalid(message: string): RunError {
  return new RunError("SWEEP_INVALID", message);
}
