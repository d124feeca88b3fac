import { setTimeout as sleep } from "node:timers/promises";
import {
  deltaSnapshots,
  mergeSnapshots,
  readServerLoad,
  scrapeMetrics,
  type MetricsDelta,
  type MetricsSnapshot,
  type ScrapeOptions,
} from "@onpar/metrics-client";
import { messageOf } from "./errors.ts";

/** Reads a server's metrics page around the measured phase. A page that cannot be read is said once and then left alone. */
export interface ServerCounters {
  /** Reads the page now. */
  read(): Promise<MetricsSnapshot | null>;
  /** Reads the page for a display: null where it cannot be read now, which changes nothing for the readings that count. */
  peek(): Promise<MetricsSnapshot | null>;
  /**
   * Reads the page until it has caught up with `requests` finished since `from` and nothing runs, or for a short while:
   * several engines count a request only some time after its last byte.
   */
  settle(from: MetricsSnapshot | null, requests: number): Promise<MetricsSnapshot | null>;
  /** Why the page cannot be read; null as long as it can. */
  readonly problem: string | null;
}

const SETTLE_MS = 2000;
const POLL_MS = 40;
/** For servers that count no finished requests: time enough for their counters to follow. */
const BLIND_WAIT_MS = 200;

/** One metrics page of a deployment. */
export interface MetricsPage {
  readonly url: string;
  /** Of the request for it; a key goes to its own server only. */
  readonly headers: Readonly<Record<string, string>>;
}

/** @param pages one per worker or rank; they are read together or not at all: counters of some are not the deployment's */
export function createServerCounters(
  pages: readonly MetricsPage[],
  dispatcher?: ScrapeOptions["dispatcher"],
): ServerCounters {
  const scrape = async (): Promise<MetricsSnapshot> =>
    mergeSnapshots(
      await Promise.all(
        pages.map(({ url, headers }) =>
          scrapeMetrics(url, { headers, ...(dispatcher === undefined ? {} : { dispatcher }) }),
        ),
      ),
    );
  let problem: string | null = null;
  const read = async (): Promise<MetricsSnapshot | null> => {
    if (problem !== null) return null;
    try {
      return await scrape();
    } catch (error) {
      problem = messageOf(error);
      return null;
    }
  };
  return {
    read,
    peek: () => (problem === null ? scrape().catch(() => null) : Promise.resolve(null)),
    async settle(from, requests) {
      if (from === null) return read();
      const deadline = performance.now() + SETTLE_MS;
      let snapshot = await read();
      while (snapshot !== null && performance.now() < deadline) {
        const finished = deltaSnapshots(from, snapshot).requestsFinished;
        const { requestsRunning } = readServerLoad(snapshot.samples);
        if (finished === null) {
          await sleep(BLIND_WAIT_MS);
          return (await read()) ?? snapshot;
        }
        if (finished >= requests && (requestsRunning ?? 0) === 0) return snapshot;
        await sleep(POLL_MS);
        const next = await read();
        if (next === null) return snapshot;
        snapshot = next;
      }
      return snapshot;
    },
    get problem() {
      return problem;
    },
  };
}

/** The difference of two snapshots, or null when one is missing. */
export function deltaOf(before: MetricsSnapshot | null, after: MetricsSnapshot | null): MetricsDelta | null {
  return before === null || after === null ? null : deltaSnapshots(before, after);
}
