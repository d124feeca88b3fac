import type { MetricSample } from "./sample.ts";

/** One string for name and labels, whatever their order on the page. */
export function seriesKey(sample: MetricSample): string {
  const labels = Object.entries(sample.labels).toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)));
  if (labels.length === 0) return sample.name;
  return `${sample.name}{${labels.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(",")}}`;
}
