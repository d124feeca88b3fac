import type { FormulaId } from "./formulas.ts";
import type { Quantity } from "./quantity.ts";

/** Where a figure comes from, the most trustworthy first. */
export const FIGURE_SOURCES = [
  /** Fields of the own responses: exact, and of no other traffic. */
  "per-request",
  /** The server's counters, or their differences. */
  "counters",
  /** A mean since the start that the server publishes, taken apart with counts. */
  "lifetime-average",
  /** A gauge with a window of its own. */
  "gauge",
  /** Tokens and requests, assuming what the server does not say. */
  "estimate",
] as const;

export type FigureSource = (typeof FIGURE_SOURCES)[number];

/** The time that a figure is about. */
export interface FigureWindow {
  /**
   * `since-start` of the server; `between-snapshots`; `since-read`, for statistics that reading takes away; `gauge-window`,
   * the server's own last window of unknown place; `gauge-sampled`, several of those; `per-request`.
   */
  readonly kind:
    | "since-start"
    | "between-snapshots"
    | "since-read"
    | "gauge-window"
    | "gauge-sampled"
    | "per-request";
  /** ISO 8601; null where it is not known. */
  readonly from: string | null;
  readonly to: string | null;
}

/** A number with everything that it takes to compare it with another. */
export interface Figure extends Quantity {
  readonly formula: FormulaId;
  readonly source: FigureSource;
  readonly window: FigureWindow;
}

export function figure(
  quantity: Quantity | null,
  formula: FormulaId,
  source: FigureSource,
  window: FigureWindow,
): Figure | null {
  if (quantity === null || !Number.isFinite(quantity.value)) return null;
  return { value: quantity.value, plusMinus: quantity.plusMinus, formula, source, window };
}
