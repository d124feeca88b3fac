/** A drawn chart: SVG with title and description, and its numbers as a table. */
export interface Chart {
  /** Name of a file and of an anchor: letters, digits and hyphens. */
  readonly id: string;
  readonly title: string;
  /** What is seen, in a sentence or two, for those who do not see it. */
  readonly description: string;
  readonly svg: string;
  readonly table: ChartTable;
}

/** The numbers behind a chart. */
export interface ChartTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** One line or row of marks. */
export interface Series {
  readonly name: string;
  readonly points: readonly SeriesPoint[];
}

export interface SeriesPoint {
  readonly x: number;
  readonly y: number;
  /** Ends of a whisker; left out where the point stands for one value. */
  readonly low?: number;
  readonly high?: number;
}

/** Columns and rows of several series over the same x. */
export function tableOf(
  xName: string,
  series: readonly Series[],
  format: (value: number) => string,
): ChartTable {
  const xs = [...new Set(series.flatMap(({ points }) => points.map(({ x }) => x)))].sort((a, b) => a - b);
  return {
    head: [xName, ...series.map(({ name }) => name)],
    rows: xs.map((x) => [
      format(x),
      ...series.map(({ points }) => {
        const point = points.find((one) => one.x === x);
        return point === undefined ? "-" : format(point.y);
      }),
    ]),
  };
}
