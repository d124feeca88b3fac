import { scaleLinear, scaleLog } from "d3-scale";
import { area, curveStepAfter, line } from "d3-shape";

import { formatNumber } from "../format.ts";
import { tableOf, type Chart, type Series } from "./chart.ts";
import { axisNumber, tickPlaces } from "./format-axis.ts";
import { compact, element, frame, mark, styleOf, textAt } from "./svg.ts";

export interface XyOptions {
  readonly id: string;
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  /** Linear axes begin at 0 on y; logarithmic ones need positive values. */
  readonly x?: "linear" | "log";
  readonly y?: "linear" | "log";
  /** `step` draws what holds until the next point, with the area below it. */
  readonly shape?: "line" | "step";
  /** Places of the ticks of x; by default chosen. */
  readonly ticks?: readonly number[];
}

const WIDTH = 480;
const HEIGHT = 300;
const MARGIN = { top: 34, right: 14, bottom: 44, left: 58 };
/** Points beyond these are drawn without marks. */
const MARKED = 60;

/** Lines over a number; null when there is nothing to draw. */
export function xyChart(options: XyOptions, given: readonly Series[]): Chart | null {
  const { id, title, xLabel, yLabel, shape = "line" } = options;
  const positive = (value: number, kind: "linear" | "log" | undefined) => kind !== "log" || value > 0;
  const series = given
    .map((one) => ({
      ...one,
      points: one.points
        .filter(
          ({ x, y }) =>
            Number.isFinite(x) && Number.isFinite(y) && positive(x, options.x) && positive(y, options.y),
        )
        .sort((a, b) => a.x - b.x),
    }))
    .filter(({ points }) => points.length > 0);
  if (series.length === 0) return null;
  const xs = series.flatMap(({ points }) => points.map(({ x }) => x));
  const ys = series.flatMap(({ points }) => points.flatMap(({ y, low = y, high = y }) => [y, low, high]));
  const legendRows = series.length < 2 ? 0 : Math.ceil(series.length / legendColumns(series));
  const top = MARGIN.top + legendRows * 18;
  const height = HEIGHT + legendRows * 18;
  const xScale = scale(
    options.x,
    [Math.min(...xs), Math.max(...xs)],
    [MARGIN.left, WIDTH - MARGIN.right],
    false,
  );
  const yScale = scale(options.y, [Math.min(...ys), Math.max(...ys)], [height - MARGIN.bottom, top], true);
  const description = describe(options, series);
  const xTicks = options.ticks ?? spread(xScale.ticks(6), options.x);
  const decimal = options.y === "log" ? tickPlaces(Math.min(...ys), Math.max(...ys)) : [];
  const yTicks = decimal.length > 1 ? decimal : spread(yScale.ticks(5), options.y);
  const svg = frame(
    { id, title, description },
    WIDTH,
    height,
    textAt(MARGIN.left, 18, title, { "font-weight": "600" }),
    legend(series),
    ...yTicks.map((tick) =>
      [
        element("line", {
          class: "grid",
          x1: MARGIN.left,
          x2: WIDTH - MARGIN.right,
          y1: yScale(tick),
          y2: yScale(tick),
        }),
        textAt(MARGIN.left - 6, yScale(tick) + 4, axisNumber(tick), {
          class: "muted label",
          "text-anchor": "end",
        }),
      ].join(""),
    ),
    ...xTicks.map((tick) =>
      textAt(xScale(tick), height - MARGIN.bottom + 17, axisNumber(tick), {
        class: "muted label",
        "text-anchor": "middle",
      }),
    ),
    element("line", {
      class: "axis",
      x1: MARGIN.left,
      x2: WIDTH - MARGIN.right,
      y1: height - MARGIN.bottom,
      y2: height - MARGIN.bottom,
    }),
    textAt((MARGIN.left + WIDTH - MARGIN.right) / 2, height - 8, xLabel, {
      class: "muted label",
      "text-anchor": "middle",
    }),
    textAt(14, (top + height - MARGIN.bottom) / 2, yLabel, {
      class: "muted label",
      "text-anchor": "middle",
      transform: `rotate(-90 14 ${compact((top + height - MARGIN.bottom) / 2)})`,
    }),
    ...series.map((one, index) => drawn(one, index, { xScale, yScale, shape, base: height - MARGIN.bottom })),
  );
  return { id, title, description, svg, table: tableOf(xLabel, series, formatNumber) };
}

interface Drawing {
  readonly xScale: (value: number) => number;
  readonly yScale: (value: number) => number;
  readonly shape: "line" | "step";
  readonly base: number;
}

function drawn({ points }: Series, index: number, { xScale, yScale, shape, base }: Drawing): string {
  const style = styleOf(index);
  const path = line<(typeof points)[number]>()
    .x(({ x }) => xScale(x))
    .y(({ y }) => yScale(y));
  if (shape === "step") path.curve(curveStepAfter);
  path.digits(2);
  const below =
    shape === "step"
      ? area<(typeof points)[number]>()
          .x(({ x }) => xScale(x))
          .y0(base)
          .y1(({ y }) => yScale(y))
          .curve(curveStepAfter)
          .digits(2)(points)
      : null;
  const whiskers = points.flatMap(({ x, y, low, high }) =>
    low === undefined || high === undefined || (low === y && high === y)
      ? []
      : [
          element("line", {
            class: `whisker ${style.colour}`,
            x1: xScale(x),
            x2: xScale(x),
            y1: yScale(low),
            y2: yScale(high),
          }),
        ],
  );
  return [
    below === null ? "" : element("path", { class: `area ${style.colour}`, d: below }),
    element("path", {
      class: `line ${style.colour}`,
      d: path(points) ?? "",
      ...(style.dash === "" || shape === "step" ? {} : { "stroke-dasharray": style.dash }),
    }),
    ...whiskers,
    ...(shape === "step" || points.length > MARKED
      ? []
      : points.map(({ x, y }) => mark(style, xScale(x), yScale(y)))),
  ].join("");
}

function legend(series: readonly Series[]): string {
  if (series.length < 2) return "";
  const columns = legendColumns(series);
  const column = (WIDTH - MARGIN.left - MARGIN.right) / columns;
  return series
    .map(({ name }, index) => {
      const style = styleOf(index);
      const x = MARGIN.left + (index % columns) * column;
      const y = MARGIN.top + Math.floor(index / columns) * 18;
      return [
        element("line", {
          class: `line ${style.colour}`,
          x1: x,
          x2: x + 22,
          y1: y,
          y2: y,
          ...(style.dash === "" ? {} : { "stroke-dasharray": style.dash }),
        }),
        mark(style, x + 11, y),
        textAt(x + 28, y + 4, shorten(name, Math.floor(column / LETTER) - 4), { class: "label" }),
      ].join("");
    })
    .join("");
}

/** Width of a letter of a legend, about. */
const LETTER = 6.8;
/** Longest name that stands beside another one. */
const MOST_BESIDE = 26;

/** Names that only differ at their ends are told apart only where they stand whole. */
function legendColumns(series: readonly Series[]): 1 | 2 {
  return series.some(({ name }) => name.length > MOST_BESIDE) ? 1 : 2;
}

/** Names of files and servers can be long; they differ at their ends rather than in their middle. */
function shorten(name: string, most: number): string {
  if (name.length <= most) return name;
  const end = Math.floor(most * 0.6);
  return `${name.slice(0, most - end - 1)}…${name.slice(-end)}`;
}

function scale(
  kind: "linear" | "log" | undefined,
  [least, most]: readonly [number, number],
  range: readonly [number, number],
  fromZero: boolean,
) {
  if (kind === "log") {
    const [low, high] = least === most ? [least / 2, most * 2] : [least, most];
    return scaleLog().base(2).domain([low, high]).range(range);
  }
  const low = fromZero ? Math.min(0, least) : least;
  const high = most === low ? low + 1 : most;
  const linear = scaleLinear().domain([low, high]).range(range);
  return fromZero ? linear.nice(5) : linear;
}

/** A logarithmic axis has a tick at every power: some of them are enough. */
function spread(ticks: readonly number[], kind: "linear" | "log" | undefined): number[] {
  if (kind !== "log") return [...ticks];
  const powers = ticks.filter((tick) => Number.isInteger(Math.log2(tick)));
  const some = powers.length >= 2 ? powers : [...ticks];
  const step = Math.ceil(some.length / 7);
  return some.filter((_, index) => index % step === 0);
}

function describe({ xLabel, yLabel }: XyOptions, series: readonly Series[]): string {
  const parts = series.slice(0, 6).map(({ name, points }) => {
    const [first, last] = [points[0], points.at(-1)];
    if (first === undefined || last === undefined) return name;
    const from = `${formatNumber(first.y)} at ${axisNumber(first.x)}`;
    return points.length === 1
      ? `${name}: ${from}`
      : `${name}: ${from} to ${formatNumber(last.y)} at ${axisNumber(last.x)}`;
  });
  const more = series.length > 6 ? `; and ${series.length - 6} more` : "";
  return `${yLabel} over ${xLabel}. ${parts.join("; ")}${more}.`;
}
