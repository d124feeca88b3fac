import { formatNumber, formatPercent } from "../format.ts";
import { FIGURES, type FigureName } from "../result/figures.ts";
import type { FigureComparison } from "./compare.ts";
import type { SideFigure } from "./ratio.ts";

/** A value in the unit of its figure, without the unit. */
export function formatFigure(name: FigureName, value: number): string {
  return FIGURES[name].unit === "share" ? formatPercent(value) : formatNumber(value);
}

/** `TTFT, ms`. */
export function figureTitle(name: FigureName): string {
  const { label, unit } = FIGURES[name];
  return unit === "share" ? label : `${label}, ${unit}`;
}

/** Value, what it is of how many, and how far it spreads: `12.3 [12.1, 12.6]`. */
export function sideText(name: FigureName, side: SideFigure): string {
  if (side.value === null) return "unknown";
  const value = formatFigure(name, side.value);
  return side.ci === null ? value : `${value} [${side.ci.map((end) => formatFigure(name, end)).join(", ")}]`;
}

/** `1.102 [1.08, 1.12]`, or why there is none. */
export function ratioText({ ratio, ci }: FigureComparison): string {
  if (ratio === null) return "-";
  return ci === null
    ? `${formatRatio(ratio)} (no interval)`
    : `${formatRatio(ratio)} [${ci.map(formatRatio).join(", ")}]`;
}

/** What became of the figure in words. */
export function changeText({ change, ratio, method }: FigureComparison): string {
  if (ratio === null) return "-";
  if (change === "unknown") return "spread unknown";
  const by = formatPercent(Math.abs(ratio - 1));
  const how = method === "none" ? "" : ` (${method})`;
  switch (change) {
    case "within noise":
      return `within noise${how}`;
    case "below threshold":
      return `significant, and only ${by}${how}`;
    case "changed":
      return `${by} ${ratio > 1 ? "more" : "less"}${how}`;
    default:
      return `${by} ${change}${how}`;
  }
}

function formatRatio(value: number): string {
  return Number.isFinite(value) ? value.toFixed(3) : "unknown";
}
