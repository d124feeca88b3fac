import { MetricsError } from "../errors.ts";
import type { MetricFamily, MetricSample } from "../exposition/sample.ts";
import type { MetricsSnapshot } from "./snapshot.ts";

/** The label that tells the pages of one deployment apart, as Prometheus names it. */
const INSTANCE = "instance";

/**
 * One snapshot of several pages of the same deployment. Each series gets the label `instance` with the host and port of its
 * page, so that counters of two workers stay two series.
 *
 * @throws {MetricsError} `METRICS_URL_INVALID` when there is none, or two have the same address
 */
export function mergeSnapshots(snapshots: readonly MetricsSnapshot[]): MetricsSnapshot {
  const [first] = snapshots;
  if (first === undefined) throw new MetricsError("METRICS_URL_INVALID", "there is no snapshot to merge");
  if (snapshots.length === 1) return first;
  const addresses = new Set(snapshots.map(({ url }) => url));
  if (addresses.size < snapshots.length) {
    throw new MetricsError(
      "METRICS_URL_INVALID",
      "the same metrics page is given twice: it would count twice",
    );
  }
  const families = new Map<string, MetricFamily>();
  const samples: MetricSample[] = [];
  for (const snapshot of snapshots) {
    for (const [name, family] of snapshot.families) if (!families.has(name)) families.set(name, family);
    const instance = instanceOf(snapshot.url);
    for (const sample of snapshot.samples) {
      samples.push({ ...sample, labels: { ...sample.labels, [INSTANCE]: instance } });
    }
  }
  const tokens = snapshots.map(({ startToken }) => startToken);
  const { monotonicMs } = snapshots.at(-1) ?? first;
  return {
    samples,
    families,
    ending: snapshots.every(({ ending }) => ending === "eof-mark") ? "eof-mark" : "line-end",
    url: snapshots.map(({ url }) => url).join(" "),
    takenAt: first.takenAt,
    startToken: tokens.some((token) => token !== null) ? tokens.map((token) => token ?? "-").join(" ") : null,
    ...(monotonicMs === undefined ? {} : { monotonicMs }),
    ...(snapshots.some(({ drained }) => drained === true) ? { drained: true } : {}),
  };
}

function instanceOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const { host, pathname } = new URL(url);
  return pathname === "/metrics" ? host : host + pathname;
}
