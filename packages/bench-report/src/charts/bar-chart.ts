import { scaleLinear, scaleLog } from "d3-scale";

import type { HistogramBin } from "../digest/log-histogram.ts";
import { formatNumber } from "../format.ts";
import type { Chart } from "./chart.ts";
import { axisNumber, tickPlaces } from "./format-axis.ts";
import { element, frame, textAt } from "./svg.ts";

const WIDTH = 480;
const HEIGHT = 260;
const MARGIN = { top: 34, right: 14, bottom: 44, left: 58 };

export interface HistogramOptions {
  readonly id: string;
  readonly title: string;
  /** With its unit. */
  readonly xLabel: string;
  readonly of: string;
}

/** How often which value occurred, on a logarithmic axis; null when there is nothing to draw. */
export function histogramChart(
  { id, title, xLabel, of }: HistogramOptions,
  bins: readonly HistogramBin[],
): Chart | null {
  const [first, last] = [bins[0], bins.at(-1)];
  if (first === undefined || last === undefined) return null;
  const most = Math.max(...bins.map(({ count }) => count));
  const x = scaleLog()
    .base(2)
    .domain([first.from, last.to])
    .range([MARGIN.left, WIDTH - MARGIN.right]);
  const y = scaleLinear()
    .domain([0, most])
    .nice(4)
    .range([HEIGHT - MARGIN.bottom, MARGIN.top]);
  const peak = bins.find(({ count }) => count === most) ?? first;
  const total = bins.reduce((sum, { count }) => sum + count, 0);
  const description = `${total} ${of} between ${formatNumber(first.from)} and ${formatNumber(last.to)}; most of them, ${most}, between ${formatNumber(peak.from)} and ${formatNumber(peak.to)}. ${xLabel}.`;
  // Values that are nearly alike fall between the places of ticks: their bins say where they are.
  const places = tickPlaces(first.from, last.to);
  const ticks = places.length > 0 ? places : [first.from, last.to];
  const svg = frame(
    { id, title, description },
    WIDTH,
    HEIGHT,
    textAt(MARGIN.left, 18, title, { "font-weight": "600" }),
    ...yGrid(y, y.ticks(4)),
    ...bins
      .filter(({ count }) => count > 0)
      .map(({ from, to, count }) =>
        element("rect", {
          class: "bar s0",
          x: x(from) + 0.5,
          y: y(count),
          width: Math.max(1, x(to) - x(from) - 1),
          height: Math.max(0.5, HEIGHT - MARGIN.bottom - y(count)),
        }),
      ),
    ...ticks.map((tick) =>
      textAt(x(tick), HEIGHT - MARGIN.bottom + 17, axisNumber(tick), {
        class: "muted label",
        "text-anchor": "middle",
      }),
    ),
    baseline(),
    textAt((MARGIN.left + WIDTH - MARGIN.right) / 2, HEIGHT - 8, xLabel, {
      class: "muted label",
      "text-anchor": "middle",
    }),
  );
  const rows = bins.map(({ from, to, count }) => [formatNumber(from), formatNumber(to), String(count)]);
  return { id, title, description, svg, table: { head: ["from", "to", of], rows } };
}

export interface BarOptions {
  readonly id: string;
  readonly title: string;
  readonly xLabel: string;
  /** Largest value of the axis. */
  readonly most: number;
  readonly format: (value: number) => string;
}

/** Named bars from left to right; null when there is none. */
export function barChart(
  { id, title, xLabel, most, format }: BarOptions,
  bars: readonly { readonly name: string; readonly value: number }[],
): Chart | null {
  if (bars.length === 0) return null;
  const y = scaleLinear()
    .domain([0, most])
    .range([HEIGHT - MARGIN.bottom, MARGIN.top]);
  const step = (WIDTH - MARGIN.left - MARGIN.right) / bars.length;
  // Labels stand beside each other only where they fit.
  const longest = Math.min(12, Math.max(...bars.map(({ name }) => name.length)));
  const labelled = Math.max(1, Math.ceil((longest * 7 + 8) / step));
  const hasValues = bars.every(({ value }) => format(value).length * 7 <= step);
  const description = `${xLabel}: ${bars
    .slice(0, 12)
    .map(({ name, value }) => `${name} ${format(value)}`)
    .join(", ")}${bars.length > 12 ? `, and ${bars.length - 12} more` : ""}.`;
  const svg = frame(
    { id, title, description },
    WIDTH,
    HEIGHT,
    textAt(MARGIN.left, 18, title, { "font-weight": "600" }),
    ...yGrid(y, y.ticks(4)),
    ...bars.map(({ name, value }, index) => {
      const left = MARGIN.left + index * step;
      return [
        element("rect", {
          class: "bar s0",
          x: left + step * 0.15,
          y: y(Math.min(most, value)),
          width: Math.max(1, step * 0.7),
          height: Math.max(0.5, HEIGHT - MARGIN.bottom - y(Math.min(most, value))),
        }),
        index % labelled === 0
          ? textAt(left + step / 2, HEIGHT - MARGIN.bottom + 17, name.slice(0, 12), {
              class: "muted label",
              "text-anchor": "middle",
            })
          : "",
        hasValues
          ? textAt(left + step / 2, y(Math.min(most, value)) - 5, format(value), {
              class: "label",
              "text-anchor": "middle",
            })
          : "",
      ].join("");
    }),
    baseline(),
    textAt((MARGIN.left + WIDTH - MARGIN.right) / 2, HEIGHT - 8, xLabel, {
      class: "muted label",
      "text-anchor": "middle",
    }),
  );
  const rows = bars.map(({ name, value }) => [name, format(value)]);
  return { id, title, description, svg, table: { head: [xLabel, "value"], rows } };
}

function yGrid(y: (value: number) => number, ticks: readonly number[]): string[] {
  return ticks.map((tick) =>
    [
      element("line", { class: "grid", x1: MARGIN.left, x2: WIDTH - MARGIN.right, y1: y(tick), y2: y(tick) }),
      textAt(MARGIN.left - 6, y(tick) + 4, axisNumber(tick), { class: "muted label", "text-anchor": "end" }),
    ].join(""),
  );
}

function baseline(): string {
  const at = HEIGHT - MARGIN.bottom;
  return element("line", { class: "axis", x1: MARGIN.left, x2: WIDTH - MARGIN.right, y1: at, y2: at });
}
