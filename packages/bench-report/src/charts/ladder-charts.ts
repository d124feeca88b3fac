import type { FigureName } from "../result/figures.ts";
import type { Point, Result } from "../result/schema.ts";
import type { Chart, Series, SeriesPoint } from "./chart.ts";
import { xyChart, type XyOptions } from "./xy-chart.ts";

type Value = (point: Point) => number | null;

const of =
  (name: FigureName): Value =>
  ({ figures }) =>
    figures[name]?.value ?? null;

/** Cold ÷ warm and the like: null unless both are known. */
const quotient =
  (above: Value, below: Value): Value =>
  (point) => {
    const [a, b] = [above(point), below(point)];
    return a === null || b === null || b === 0 ? null : a / b;
  };

const decode: Value = (point) => of("decodeCtxsweep")(point) ?? of("decodeVllm")(point);
const ttft: Value = (point) => of("coldTtftMs")(point) ?? of("ttftMs")(point);
const msPerToken: Value = (point) => {
  const rate = decode(point);
  return rate === null || rate === 0 ? of("tpotMs")(point) : 1000 / rate;
};

/** The charts of a result that is a ladder over the length of the context: up to nine. */
export function contextCharts(results: readonly Result[]): Chart[] {
  const groups = grouped(
    results,
    ({ at, promptTokens }) => promptTokens?.value ?? at.contextTokens,
    ({ at }) => at.contextTokens,
  );
  if (!groups.some(({ rungs }) => rungs.length > 1)) return [];
  const panel = (id: string, title: string, yLabel: string, value: Value, more: Partial<XyOptions> = {}) =>
    xyChart({ id, title, xLabel: "prompt tokens", yLabel, x: "log", ...more }, seriesOf(groups, value));
  return [
    panel("context-decode", "Decode rate", "tok/s", decode),
    panel("context-prefill", "Prefill rate", "tok/s", of("prefill")),
    xyChart(
      {
        id: "context-ttft",
        title: "Time to first token, cold and warm",
        xLabel: "prompt tokens",
        yLabel: "ms",
        x: "log",
        y: "log",
      },
      [...seriesOf(groups, ttft, "cold"), ...seriesOf(groups, of("warmTtftMs"), "warm")],
    ),
    panel("context-per-token", "Time per output token", "ms", msPerToken),
    panel("context-accepted", "Accepted per pass", "tokens", of("acceptanceLength")),
    panel("context-budget", "Draft budget used", "share", of("saturation")),
    panel("context-prefill-bytes", "Prompt bytes per second", "bytes/s", of("prefillBytesPerS")),
    panel("context-decode-bytes", "Output bytes per second", "bytes/s", of("decodeBytesPerS")),
    panel("context-cold-warm", "TTFT, cold ÷ warm", "ratio", quotient(ttft, of("warmTtftMs")), { y: "log" }),
  ].filter((chart) => chart !== null);
}

/** The charts of a ladder over requests in flight. */
export function concurrencyCharts(results: readonly Result[]): Chart[] {
  const groups = grouped(
    results,
    ({ at }) => at.concurrency,
    ({ at }) => at.concurrency,
  );
  if (!groups.some(({ rungs }) => rungs.length > 1)) return [];
  const ticks = [...new Set(groups.flatMap(({ rungs }) => rungs.map(({ x }) => x)))];
  const panel = (id: string, title: string, yLabel: string, value: Value) =>
    xyChart({ id, title, xLabel: "requests in flight", yLabel, x: "log", ticks }, seriesOf(groups, value));
  return [
    panel("concurrency-aggregate", "Output of all streams", "tok/s", of("outputTokensPerS")),
    panel("concurrency-stream", "Decode rate of a stream", "tok/s", decode),
    panel("concurrency-ttft", "Time to first token, median", "ms", of("ttftMs")),
    panel("concurrency-accepted", "Accepted per pass", "tokens", of("acceptanceLength")),
  ].filter((chart) => chart !== null);
}

interface Group {
  readonly name: string;
  readonly rungs: readonly { readonly x: number; readonly points: readonly Point[] }[];
}

/** Points of one configuration and temperature as rungs; boots of a rung stand together. */
function grouped(results: readonly Result[], x: Value, rungOf: Value): Group[] {
  const all = results.flatMap((result, index) => result.points.map((point) => ({ result, index, point })));
  const tell = {
    side: results.length > 1,
    profile: new Set(all.map(({ point }) => point.at.profile)).size > 1,
    temperature: new Set(all.map(({ point }) => point.at.temperature)).size > 1,
  };
  const groups = new Map<string, Map<number, Point[]>>();
  for (const { result, index, point } of all) {
    const rung = rungOf(point);
    if (rung === null || x(point) === null) continue;
    const name = [
      ...(tell.side ? [`${String.fromCodePoint(65 + index)}: ${result.title ?? "result"}`] : []),
      ...(tell.profile && point.at.profile !== null ? [point.at.profile] : []),
      ...(tell.temperature && point.at.temperature !== null ? [`temperature ${point.at.temperature}`] : []),
    ].join(", ");
    const rungs = groups.get(name) ?? new Map<number, Point[]>();
    groups.set(name, rungs);
    rungs.set(rung, [...(rungs.get(rung) ?? []), point]);
  }
  return [...groups].map(([name, rungs]) => ({
    name: name === "" ? "all points" : name,
    rungs: [...rungs.values()].map((points) => ({
      x: middle(points.flatMap((point) => x(point) ?? [])),
      points,
    })),
  }));
}

/** The median over boots of each rung, with whiskers from the least to the most. */
function seriesOf(groups: readonly Group[], value: Value, suffix?: string): Series[] {
  const isOne = groups.length === 1;
  return groups.flatMap(({ name, rungs }) => {
    const points = rungs.flatMap(({ x, points: boots }): SeriesPoint[] => {
      const values = boots.flatMap((point) => value(point) ?? []);
      if (values.length === 0) return [];
      const y = middle(values);
      return values.length === 1
        ? [{ x, y }]
        : [{ x, y, low: Math.min(...values), high: Math.max(...values) }];
    });
    const label = suffix === undefined ? name : isOne ? suffix : `${suffix}, ${name}`;
    return points.length === 0 ? [] : [{ name: label, points }];
  });
}

function middle(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(at)] ?? 0) + (sorted[Math.ceil(at)] ?? 0)) / 2;
}
