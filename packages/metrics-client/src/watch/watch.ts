import { measureWindow, type MetricsWindow, type WindowOptions } from "../delta/window.ts";
import { dialectByNames } from "../dialects/registry.ts";
import { MetricsError } from "../errors.ts";
import type { AcceptanceReading } from "../normal/acceptance-reading.ts";
import { type NormalReading, readNormal } from "../normal/normal-reading.ts";
import { addDrained } from "../scrape/drain.ts";
import type { MetricsSnapshot } from "../scrape/snapshot.ts";
import { averageGauges, type GaugeSample } from "./gauge-average.ts";
import { Ring } from "./ring.ts";
import { sampleEvery, type SamplerOptions } from "./sampler.ts";

/** One moment of a watched server. */
export interface WatchPoint {
  readonly scheduledMs: number;
  readonly missed: number;
  /** Null when the page could not be read at this moment. */
  readonly reading: NormalReading | null;
  /** Since the page that was read before; null for the first. */
  readonly window: MetricsWindow | null;
  /** Since the watch began; counts are sums over all windows, so that a restart loses only what it hid. */
  readonly total: WatchTotal | null;
  readonly error: MetricsError | null;
}

/** What a watch has seen so far. */
export interface WatchTotal {
  readonly generationTokens: number | null;
  readonly requestsFinished: number | null;
  /** Restarts noticed. */
  readonly resets: number;
  /** Since the first page, where no restart came between. */
  readonly acceptance: AcceptanceReading | null;
}

export interface WatchOptions extends SamplerOptions, WindowOptions {
  /** Points that are kept. Default: 3,600. */
  readonly keep?: number;
}

/** A running watch: iterate over it, and look at what it has kept. */
export interface Watch extends AsyncIterable<WatchPoint> {
  /** The last points, the oldest first. */
  readonly points: () => readonly WatchPoint[];
}

/**
 * Watches a server: reads its page at aligned moments and gives load, the window since the moment before, and acceptance since
 * the beginning. A page that cannot be read is a point with an error, and the watch goes on.
 *
 * @param read takes a snapshot, for example `() => scrapeMetrics(url)`
 */
export function watchMetrics(read: () => Promise<MetricsSnapshot>, options: WatchOptions): Watch {
  const kept = new Ring<WatchPoint>(options.keep ?? 3600);
  return {
    points: () => kept.toArray(),
    async *[Symbol.asyncIterator]() {
      const state = new WatchState(options);
      for await (const { scheduledMs, missed, value } of sampleEvery(() => caught(read), options)) {
        const point = { scheduledMs, missed, ...state.add(value) };
        kept.push(point);
        yield point;
      }
    },
  };
}

async function caught(read: () => Promise<MetricsSnapshot>): Promise<MetricsSnapshot | MetricsError> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof MetricsError) return error;
    throw error;
  }
}

/** Gauges that are kept for the mean since the beginning: an hour of one a second. */
const KEPT_GAUGES = 3600;

class WatchState {
  readonly #options: WindowOptions;
  readonly #gauges = new Ring<GaugeSample>(KEPT_GAUGES);
  #first: MetricsSnapshot | null = null;
  #last: MetricsSnapshot | null = null;
  #generated: number | null = null;
  #finished: number | null = null;
  #resets = 0;

  constructor(options: WindowOptions) {
    this.#options = options;
  }

  add(taken: MetricsSnapshot | MetricsError): Omit<WatchPoint, "scheduledMs" | "missed"> {
    if (taken instanceof MetricsError) {
      return { reading: null, window: null, total: this.#total(null), error: taken };
    }
    const last = this.#last;
    // What reading takes away from the server is added up here, and read like counters since the beginning.
    const value = taken.drained === true ? addDrained(last, taken) : taken;
    const dialect = this.#options.dialect ?? dialectByNames([value], this.#options);
    const options = dialect === null ? this.#options : { ...this.#options, dialect };
    const reading = readNormal(value, options);
    const window = last === null ? null : measureWindow(last, value, options);
    this.#gauges.push({
      atMs: value.monotonicMs ?? Date.parse(value.takenAt),
      takenAt: value.takenAt,
      reading: reading.acceptance.reading,
      busy: reading.busy.idle === null ? null : !reading.busy.idle,
    });
    this.#last = value;
    this.#first ??= value;
    if (window !== null) {
      this.#generated = sum(this.#generated, window.counts.generationTokens?.value);
      this.#finished = sum(this.#finished, window.counts.requestsFinished?.value);
      if (window.reset) {
        this.#resets++;
        this.#first = value;
      }
    }
    return { reading, window, total: this.#total(options), error: null };
  }

  #total(options: WindowOptions | null): WatchTotal | null {
    if (this.#first === null || this.#last === null) return null;
    const acceptance = options === null ? null : this.#acceptance(options, this.#first, this.#last);
    return {
      generationTokens: this.#generated,
      requestsFinished: this.#finished,
      resets: this.#resets,
      acceptance,
    };
  }

  /** Counters since the beginning; where there is only a gauge, the mean of its samples. */
  #acceptance(
    options: WindowOptions,
    first: MetricsSnapshot,
    last: MetricsSnapshot,
  ): AcceptanceReading | null {
    if (first === last) return null;
    const { reading } = measureWindow(first, last, options).acceptance;
    if (reading === null || reading.source !== "gauge") return reading;
    const mean = averageGauges(this.#gauges.toArray());
    if (mean === null) return reading;
    const window = mean.meanLength?.window ?? mean.rate?.window ?? reading.window;
    return {
      ...reading,
      meanLength: mean.meanLength,
      rate: mean.rate,
      window,
      notes: [`mean of ${mean.used} samples of a gauge, taken while requests ran`],
    };
  }
}

function sum(total: number | null, more: number | undefined): number | null {
  return more === undefined ? total : (total ?? 0) + more;
}
