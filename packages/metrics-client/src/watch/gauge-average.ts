import type { AcceptanceReading } from "../normal/acceptance-reading.ts";
import { figure, type Figure, type FigureWindow } from "../normal/figure.ts";

/** One look at a gauge of acceptance. */
export interface GaugeSample {
  /** Monotonic, ms. */
  readonly atMs: number;
  readonly takenAt: string;
  readonly reading: AcceptanceReading | null;
  /** Whether requests ran at that moment; null when the server does not tell. */
  readonly busy: boolean | null;
}

/**
 * The mean of gauges that were sampled while requests ran, each weighted with the time until the next sample. A sample without a
 * value, or taken while nothing ran, is left out, and so is one that still shows what stood there before: such gauges keep their
 * last value. The uncertainty is the standard error of the
 * samples. Null when fewer than two samples count.
 */
export function averageGauges(
  samples: readonly GaugeSample[],
): { readonly meanLength: Figure | null; readonly rate: Figure | null; readonly used: number } | null {
  const used: { readonly weight: number; readonly reading: AcceptanceReading }[] = [];
  let standing: number | null = null;
  for (const [index, sample] of samples.entries()) {
    const next = samples[index + 1];
    const value = sample.reading?.meanLength?.value ?? null;
    if (sample.busy !== true) standing = value;
    if (next === undefined || sample.reading === null || sample.busy !== true) continue;
    if (sample.reading.source !== "gauge" || value === standing) continue;
    standing = null;
    used.push({ weight: Math.max(0, next.atMs - sample.atMs), reading: sample.reading });
  }
  const [first, last] = [samples.at(0), samples.at(-1)];
  if (used.length < 2 || first === undefined || last === undefined) return null;
  const window: FigureWindow = { kind: "gauge-sampled", from: first.takenAt, to: last.takenAt };
  const lengths = used.map(({ weight, reading }) => ({ weight, value: reading.meanLength?.value ?? null }));
  const rates = used.map(({ weight, reading }) => ({ weight, value: reading.rate?.value ?? null }));
  return {
    meanLength: figure(weightedMean(lengths), "gauge:length:weighted", "gauge", window),
    rate: figure(weightedMean(rates), "gauge:rate:weighted", "gauge", window),
    used: used.length,
  };
}

function weightedMean(
  samples: readonly { readonly weight: number; readonly value: number | null }[],
): { value: number; plusMinus: number } | null {
  let [weights, sum] = [0, 0];
  const values: number[] = [];
  for (const { weight, value } of samples) {
    if (value === null) continue;
    weights += weight;
    sum += weight * value;
    values.push(value);
  }
  if (!(weights > 0)) return null;
  const mean = sum / weights;
  const spread = values.reduce((total, value) => total + (value - mean) ** 2, 0);
  const error = values.length < 2 ? 0 : Math.sqrt(spread / (values.length - 1) / values.length);
  return { value: mean, plusMinus: error };
}
