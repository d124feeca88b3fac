import { scaleLog } from "d3-scale";

import type { Comparison, FigureComparison } from "../compare/compare.ts";
import { FIGURES } from "../result/figures.ts";
import type { Chart } from "./chart.ts";
import { element, frame, mark, styleOf, textAt } from "./svg.ts";

const WIDTH = 480;
const ROW = 24;
const LEFT = 150;
const RIGHT = 24;
const TOP = 40;
/** Room that the label of a tick takes. */
const TICK = 40;

/** Ratios that people know; 1 is always there. */
const TICKS = [
  0.01, 0.02, 0.05, 0.1, 0.2, 0.33, 0.5, 0.67, 0.8, 0.9, 0.95, 1, 1.05, 1.1, 1.25, 1.5, 2, 3, 5, 10, 20, 50,
  100,
];

/** Ratios of one rung with their intervals around 1, one row per figure; null where there is none. */
export function ratioChart({ a, b, rungs, threshold }: Comparison, index: number): Chart | null {
  const rung = rungs[index];
  const rows = (rung?.figures ?? []).filter(({ ratio }) => ratio !== null);
  if (rung === undefined || rows.length === 0) return null;
  const ends = rows.flatMap(({ ratio, ci }) => [ratio ?? 1, ...(ci ?? [])]).filter((end) => end > 0);
  const [low, high] = [Math.min(0.95, ...ends), Math.max(1.05, ...ends)];
  const x = scaleLog()
    .domain([low, high])
    .range([LEFT, WIDTH - RIGHT]);
  const height = TOP + rows.length * ROW + 34;
  const id = `ratio-${index + 1}`;
  const title = `B ÷ A: ${rung.label}`;
  const description = `Ratios of ${b} to ${a} with 95 % intervals; 1 is the same, and changes under ${threshold * 100} % are small. ${rows
    .slice(0, 8)
    .map(({ figure, ratio, change }) => `${FIGURES[figure].label} ${(ratio ?? 1).toFixed(3)}, ${change}`)
    .join("; ")}.`;
  const ticks = ticksOf(x);
  const svg = frame(
    { id, title, description },
    WIDTH,
    height,
    textAt(12, 20, title, { "font-weight": "600" }),
    element("line", { class: "axis", x1: x(1), x2: x(1), y1: TOP - 8, y2: TOP + rows.length * ROW }),
    ...ticks.map((tick) =>
      textAt(x(tick), height - 14, tick.toFixed(2), { class: "muted label", "text-anchor": "middle" }),
    ),
    ...rows.map((row, at) => drawn(row, TOP + at * ROW + ROW / 2, x)),
  );
  return {
    id,
    title,
    description,
    svg,
    table: {
      head: ["figure", "B ÷ A", "from", "to", "change"],
      rows: rows.map(({ figure, ratio, ci, change }) => [
        FIGURES[figure].label,
        (ratio ?? 1).toFixed(3),
        ci === null ? "-" : ci[0].toFixed(3),
        ci === null ? "-" : ci[1].toFixed(3),
        change,
      ]),
    },
  };
}

/** Labels that stand beside each other, from 1 outwards. */
function ticksOf(x: (value: number) => number): number[] {
  const taken: number[] = [];
  const outwards = [...TICKS].sort((a, b) => Math.abs(Math.log(a)) - Math.abs(Math.log(b)));
  for (const tick of outwards) {
    const at = x(tick);
    const fits =
      at >= LEFT && at <= WIDTH - RIGHT + 1 && taken.every((other) => Math.abs(x(other) - at) >= TICK);
    if (fits) taken.push(tick);
  }
  return taken;
}

/** Better, worse and the rest differ by colour and by mark. */
const STYLES: Readonly<Record<FigureComparison["change"], number>> = {
  better: 2,
  worse: 1,
  changed: 3,
  "within noise": 0,
  "below threshold": 0,
  unknown: 4,
};

function drawn(
  { figure, ratio, ci, change }: FigureComparison,
  y: number,
  x: (value: number) => number,
): string {
  const style = styleOf(STYLES[change]);
  return [
    textAt(LEFT - 10, y + 4, FIGURES[figure].label, { class: "label", "text-anchor": "end" }),
    ci === null || ci[0] <= 0
      ? ""
      : element("line", { class: `whisker ${style.colour}`, x1: x(ci[0]), x2: x(ci[1]), y1: y, y2: y }),
    ratio === null || ratio <= 0 ? "" : mark(style, x(ratio), y, 4.5),
  ].join("");
}
