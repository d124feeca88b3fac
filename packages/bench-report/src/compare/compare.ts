import {
  compareProtocols,
  verdictOf,
  type AxisState,
  type ComparedAxis,
  type ComparisonVerdict,
  type PartialProtocol,
} from "@onpar/bench-config";

import { formatPercent } from "../format.ts";
import { FIGURE_NAMES, FIGURES, type FigureName } from "../result/figures.ts";
import { span } from "../result/point-table.ts";
import { protocolAt } from "../result/protocol-parts.ts";
import type { Coordinates, Figure, Point } from "../result/schema.ts";
import { compareFigure, type Ratio } from "./ratio.ts";
import { RESAMPLE_DEFAULTS, type ResampleOptions } from "./resample.ts";
import { pairRungs, type Rung, type RungPair, type Side } from "./rungs.ts";

export const COMPARISON_SCHEMA = "onpar.comparison/1";

export interface CompareOptions extends Partial<ResampleOptions> {
  /** Changes smaller than this share matter to nobody; default 0.02. */
  readonly threshold?: number;
}

/** What became of a figure from A to B. */
export type Change =
  /** No interval, or no value on a side. */
  | "unknown"
  /** The interval of the ratio covers 1. */
  | "within noise"
  /** Significant, and smaller than the threshold. */
  | "below threshold"
  | "better"
  | "worse"
  /** Significant, of a figure that has no good direction. */
  | "changed";

/** One figure of both sides. */
export interface FigureComparison extends Ratio {
  readonly figure: FigureName;
  readonly change: Change;
}

/** One rung of both sides. */
export interface RungComparison {
  readonly label: string;
  readonly at: Coordinates;
  readonly verdict: ComparisonVerdict;
  readonly figures: readonly FigureComparison[];
  /** Output lengths (min/p50/max) and the stopping rule of both, which stand beside each rate. */
  readonly outputs: { readonly a: string; readonly b: string };
  readonly warnings: readonly string[];
}

/** B against A: the verdict, then everything that it stands on. */
export interface Comparison {
  readonly schema: typeof COMPARISON_SCHEMA;
  readonly a: string;
  readonly b: string;
  readonly verdict: ComparisonVerdict;
  readonly reasons: readonly string[];
  /** The worst state of each axis over all rungs. */
  readonly axes: readonly ComparedAxis[];
  readonly rungs: readonly RungComparison[];
  readonly onlyA: readonly string[];
  readonly onlyB: readonly string[];
  readonly warnings: readonly string[];
  readonly threshold: number;
  readonly level: number;
}

const THRESHOLD = 0.02;

/**
 * Compares two results of any harness. The verdict comes from their protocols; figures are laid beside each other rung by
 * rung, and a ratio is computed only where the verdict allows one.
 */
export function compareResults(a: Side, b: Side, options: CompareOptions = {}): Comparison {
  const { threshold = THRESHOLD, ...resampling } = options;
  const resample = { ...RESAMPLE_DEFAULTS, ...resampling };
  const { pairs, onlyA, onlyB } = pairRungs(a, b);
  const compared = pairs.map((pair) => ({ pair, axes: axesOf(pair) }));
  const axes = pairs.length > 0 ? worstAxes(compared.map((one) => one.axes)) : protocolAxes(a, b);
  const broken = [...brokenBy(a, "A"), ...brokenBy(b, "B")];
  const judged =
    pairs.length > 0
      ? judge(compared.map(({ pair, axes: own }) => ({ label: pair.label, axes: own })))
      : apart(a, b);
  const verdict = broken.length > 0 ? "not-comparable" : judged.verdict;
  const rungs = compared.map(({ pair, axes: own }) => {
    const rungVerdict = verdict === "not-comparable" ? verdict : verdictOf(own).verdict;
    return compareRung(pair, rungVerdict, threshold, resample);
  });
  return {
    schema: COMPARISON_SCHEMA,
    a: a.name,
    b: b.name,
    verdict,
    reasons:
      broken.length > 0 && judged.verdict !== "not-comparable" ? broken : [...broken, ...judged.reasons],
    axes,
    rungs,
    onlyA,
    onlyB,
    warnings: [...sideWarnings(a, "A"), ...sideWarnings(b, "B"), ...bootWarnings(pairs)],
    threshold,
    level: resample.level,
  };
}

/**
 * The verdict over all rungs: that of the worst one among those that can be compared, and never better than `matched-except`
 * where some cannot. None that can: not comparable.
 */
function judge(
  rungs: readonly { readonly label: string; readonly axes: readonly ComparedAxis[] }[],
): Pick<Comparison, "verdict" | "reasons"> {
  const parted = rungs.filter(({ axes }) => verdictOf(axes).verdict === "not-comparable");
  const rest = rungs.filter((rung) => !parted.includes(rung));
  if (rest.length === 0) return verdictOf(worstAxes(rungs.map(({ axes }) => axes)));
  const judged = verdictOf(worstAxes(rest.map(({ axes }) => axes)));
  if (parted.length === 0) return judged;
  const why = parted.map(({ label, axes }) => `${label}: ${verdictOf(axes).reasons[0] ?? ""}`);
  return {
    verdict: "matched-except",
    reasons: [
      `${parted.length} of ${rungs.length} rungs cannot be compared (${why.join("; ")})`,
      ...(judged.verdict === "matched" ? [] : judged.reasons),
    ],
  };
}

/** Two sides without a common rung: what else parts them is said all the same. */
function apart(a: Side, b: Side): Pick<Comparison, "verdict" | "reasons"> {
  const { verdict, reasons } = verdictOf(protocolAxes(a, b));
  const others = verdict === "not-comparable" ? reasons : [];
  return { verdict: "not-comparable", reasons: ["no rung stands on both sides", ...others] };
}

/** Axes of the two results without the lengths of their prompts, which are those of rungs. */
function protocolAxes(a: Side, b: Side): ComparedAxis[] {
  const [one, other] = [a, b].map(({ results: [result] }): PartialProtocol => {
    const protocol = protocolAt(result, result.points[0] ?? null);
    return {
      ...protocol,
      workload: protocol.workload == null ? null : { ...protocol.workload, promptTokens: null },
    };
  });
  return one === undefined || other === undefined ? [] : [...compareProtocols(one, other).axes];
}

function compareRung(
  { label, a, b }: RungPair,
  verdict: ComparisonVerdict,
  threshold: number,
  resample: ResampleOptions,
): RungComparison {
  const figures = FIGURE_NAMES.flatMap((figure): FigureComparison[] => {
    const ratio = compareFigure(a.points, b.points, figure, resample);
    if (ratio === null) return [];
    const allowed =
      verdict === "not-comparable" ? { ...ratio, ratio: null, ci: null, method: "none" as const } : ratio;
    return [{ figure, ...allowed, change: changeOf(figure, allowed, threshold) }];
  });
  return {
    label,
    at: a.at,
    verdict,
    figures,
    outputs: { a: outputsOf(a), b: outputsOf(b) },
    warnings: figures.flatMap((one) => figureWarnings(one)),
  };
}

function changeOf(name: FigureName, { ratio, ci }: Ratio, threshold: number): Change {
  if (ratio === null || ci === null) return "unknown";
  const [low, high] = ci;
  if (!(low > 1 || high < 1)) return "within noise";
  if (Math.abs(ratio - 1) < threshold) return "below threshold";
  const { better } = FIGURES[name];
  if (better === "neither") return "changed";
  return ratio > 1 === (better === "higher") ? "better" : "worse";
}

/** Axes of one rung: those of its protocol, and whether all of its requests were answered. */
function axesOf({ a, b }: RungPair): ComparedAxis[] {
  return [...compareProtocols(observedProtocol(a), observedProtocol(b)).axes, answered(a, b)];
}

/** The protocol of a rung with the lengths that were observed. */
function observedProtocol({ result, points }: Rung): PartialProtocol {
  const [point] = points;
  const protocol = protocolAt(result, point ?? null);
  const outputs = spreadOf(point?.outputTokens ?? null);
  const prompts = spreadOf(point?.promptTokens ?? null);
  return {
    ...protocol,
    outputTokens: outputs ?? protocol.outputTokens ?? null,
    workload:
      protocol.workload == null && prompts === null
        ? null
        : { ...protocol.workload, promptTokens: prompts ?? protocol.workload?.promptTokens ?? null },
  };
}

function spreadOf(figure: Figure | null) {
  if (figure === null || figure.min === null || figure.p50 === null || figure.max === null) return null;
  return { min: figure.min, p50: figure.p50, max: figure.max };
}

/** Two runs that each lost some lost different ones. */
function answered(a: Rung, b: Rung): ComparedAxis {
  const [left, right] = [a.points, b.points].map((points) => points.map(({ counts }) => counts));
  const words = (counts: readonly Point["counts"][] | undefined): string =>
    (counts ?? []).map(({ ok, asked }) => `${ok ?? "unknown"} of ${asked ?? "unknown"}`).join("; ");
  const all = [...(left ?? []), ...(right ?? [])];
  const isKnown = all.every(({ ok, asked }) => ok !== null && asked !== null);
  const isWhole = all.every(({ ok, asked }) => ok === asked);
  return {
    axis: "requests answered",
    state: !isKnown ? "unknown" : isWhole ? "equal" : "differs",
    a: words(left),
    b: words(right),
    decisive: false,
  };
}

const WORST: readonly AxisState[] = ["equal", "unknown", "differs"];

/** Each axis as it is at the rung where it is worst. */
function worstAxes(rungs: readonly (readonly ComparedAxis[])[]): ComparedAxis[] {
  const worst = new Map<string, ComparedAxis>();
  for (const axes of rungs) {
    for (const axis of axes) {
      const before = worst.get(axis.axis);
      if (before === undefined || WORST.indexOf(axis.state) > WORST.indexOf(before.state))
        worst.set(axis.axis, axis);
    }
  }
  return [...worst.values()].map(({ axis, state, a, b, decisive }) => ({ axis, state, a, b, decisive }));
}

function brokenBy({ results }: Side, name: string): string[] {
  const codes = results.flatMap(({ findings }) =>
    findings.filter(({ severity }) => severity === "breach").map(({ code }) => code),
  );
  return codes.length === 0 ? [] : [`${name} does not stand as stated (${[...new Set(codes)].join(", ")})`];
}

function outputsOf({ result, points }: Rung): string {
  const [point] = points;
  const rule = protocolAt(result, point ?? null).stoppingRule?.name ?? "rule unknown";
  const lengths = points.map(({ outputTokens }) => span(outputTokens) ?? "unknown");
  return `${[...new Set(lengths)].join("; ")} tokens, ${rule}`;
}

function figureWarnings({ figure, a, b, bootSpread, ratio }: FigureComparison): string[] {
  const { label } = FIGURES[figure];
  const modes = (
    [
      ["A", a],
      ["B", b],
    ] as const
  ).flatMap(([name, side]) =>
    side.multimodal
      ? [`${name}: ${label} gathers around more than one place, so that its median describes no request`]
      : [],
  );
  const change = ratio === null ? null : Math.abs(ratio - 1);
  const boots =
    bootSpread !== null && change !== null && change > 0 && bootSpread >= change && bootSpread > 0.01
      ? [
          `${label}: boots of one side differ by ${formatPercent(bootSpread)}, the two sides by ${formatPercent(change)}`,
        ]
      : [];
  return [...modes, ...boots];
}

function sideWarnings({ results }: Side, name: string): string[] {
  const points = results.flatMap((result) => result.points);
  return [
    ...(results.some(({ interrupted }) => interrupted === true) ? [`${name} was interrupted`] : []),
    ...(points.some(({ clientBound }) => clientBound === true)
      ? [`${name}: the client was the limit, so that its figures are not the server's alone`]
      : []),
  ];
}

function bootWarnings(pairs: readonly RungPair[]): string[] {
  const single = pairs.some(({ a, b }) => a.points.length === 1 || b.points.length === 1);
  return single
    ? [
        "one boot on a side: what a restart of the server changes is in no interval (give several files of a side, separated by commas)",
      ]
    : [];
}
