import type { MetricSample } from "../exposition/sample.ts";
import { seriesKey } from "../exposition/series-key.ts";
import type { MetricsSnapshot } from "./snapshot.ts";

/**
 * Adds statistics that reading took away from the server to those of the readings before, so that they can be read like counters
 * since the first reading. Gauges are those of the last reading.
 *
 * @param total null for the first reading
 */
export function addDrained(total: MetricsSnapshot | null, snapshot: MetricsSnapshot): MetricsSnapshot {
  const { drained: _, ...latest } = snapshot;
  if (total === null) return latest;
  const before = new Map<string, MetricSample>();
  for (const sample of total.samples) {
    if (sample.type === "counter") before.set(seriesKey(sample), sample);
  }
  const samples = snapshot.samples.map((sample) => {
    const key = seriesKey(sample);
    const earlier = sample.type === "counter" ? before.get(key) : undefined;
    before.delete(key);
    return earlier === undefined ? sample : { ...sample, value: sample.value + earlier.value };
  });
  return { ...latest, samples: [...samples, ...before.values()] };
}
