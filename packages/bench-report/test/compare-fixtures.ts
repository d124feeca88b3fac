import { resultOfRun, type Result } from "../src/index.ts";
import type { RequestValues } from "../src/index.ts";
import { result } from "./results.ts";

/** A generator of uniform numbers; the same seed gives the same series. */
export function uniform(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
}

/** A normal number by Box and Muller. */
export function normal(draw: () => number): number {
  return Math.sqrt(-2 * Math.log(draw())) * Math.cos(2 * Math.PI * draw());
}

/** Repetitions of a decode rate and of a TTFT around their centre, as a server gives them that is left alone. */
export function repeated(seed: number, { slow = 1, reps = 8, noise = 0.02, name = "run" } = {}): Result {
  const draw = uniform(seed);
  const around = (centre: number) => Array.from({ length: reps }, () => centre * (1 + noise * normal(draw)));
  const [decode, ttft] = [around(36 / slow), around(110 * slow)];
  const figure = (values: readonly number[]) => ({
    values,
    median: null,
    min: null,
    max: null,
    cv: null,
    ci: null,
  });
  const run = result({
    summary: {
      spread: {
        repetitions: reps,
        boots: 1,
        figures: { "decodeCtxsweep.p50": figure(decode), "ttftMs.p50": figure(ttft) },
      },
    },
  });
  return medians(resultOfRun(run, name));
}

/** A result whose figures with repetitions are told by the median of those. */
function medians(result: Result): Result {
  return {
    ...result,
    points: result.points.map((point) => ({
      ...point,
      figures: Object.fromEntries(
        Object.entries(point.figures).map(([name, figure]) => {
          const values = figure?.repetitions?.filter((value) => value !== null) ?? [];
          if (figure === undefined || values.length === 0) return [name, figure];
          const sorted = [...values].sort((a, b) => a - b);
          const p50 =
            ((sorted[Math.floor((sorted.length - 1) / 2)] ?? 0) +
              (sorted[Math.ceil((sorted.length - 1) / 2)] ?? 0)) /
            2;
          return [name, { ...figure, value: p50, p50 }];
        }),
      ),
    })),
  };
}

/** Values of requests that pair by their prompts: how hard a prompt is differs far more than the two sides do. */
export function paired(seed: number, factor: number, prompts = 50): RequestValues {
  const hardness = uniform(7);
  const noise = uniform(seed);
  const base = Array.from({ length: prompts }, () => 20 + 60 * hardness());
  return {
    promptIds: base.map((_, index) => `prompt-${index}`),
    values: { tpotMs: base.map((value) => value * factor * (1 + 0.01 * normal(noise))) },
  };
}

/** The same prompts in several repetitions, which share what the machine does meanwhile. */
export function repeatedPrompts(
  seed: number,
  factor: number,
  { prompts = 12, reps = 8, drift = 0.05 } = {},
): RequestValues {
  const hardness = uniform(7);
  const noise = uniform(seed);
  const base = Array.from({ length: prompts }, () => 20 + 60 * hardness());
  const machine = Array.from({ length: reps }, () => 1 + drift * normal(noise));
  const all = machine.flatMap((state, repetition) =>
    base.map((value, index) => ({ state, repetition, value, index })),
  );
  return {
    promptIds: all.map(({ index }) => `prompt-${index}`),
    repetitions: all.map(({ repetition }) => repetition),
    values: { tpotMs: all.map(({ state, value }) => value * factor * state * (1 + 0.01 * normal(noise))) },
  };
}
