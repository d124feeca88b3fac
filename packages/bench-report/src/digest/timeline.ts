const BINS = 512;
const FIRST_WIDTH_S = 1 / 64;

/** What a run did in one stretch of time. */
export interface TimelineBin {
  /** s since the start of the run. */
  readonly fromS: number;
  readonly toS: number;
  readonly sent: number;
  readonly ok: number;
  readonly failed: number;
  /** Output tokens whose chunk arrived. */
  readonly tokens: number;
  /** Requests in flight at the end of the stretch. */
  readonly inFlight: number;
  /** Requests that were due and not sent at the end of the stretch. */
  readonly queued: number;
}

const SERIES = ["due", "sent", "ended", "ok", "failed", "tokens"] as const;
type Series = (typeof SERIES)[number];

/**
 * Counts events over time in a bounded number of bins: a run of any length is not known to be of that length until it ends, so
 * the bins are joined in pairs whenever an event lies beyond the last.
 */
export class Timeline {
  #widthS = FIRST_WIDTH_S;
  #endS = 0;
  readonly #bins: Readonly<Record<Series, Float64Array>> = {
    due: new Float64Array(BINS),
    sent: new Float64Array(BINS),
    ended: new Float64Array(BINS),
    ok: new Float64Array(BINS),
    failed: new Float64Array(BINS),
    tokens: new Float64Array(BINS),
  };

  add(series: Series, atS: number): void {
    this.#add(this.#bins[series], atS, 1);
  }

  /** Output tokens that arrived together: there are as many of these as chunks. */
  addTokens(atS: number, amount: number): void {
    this.#add(this.#bins.tokens, atS, amount);
  }

  #add(bins: Float64Array, atS: number, amount: number): void {
    if (!Number.isFinite(atS)) return;
    const at = atS > 0 ? atS : 0;
    while (at >= this.#widthS * BINS) this.#widen();
    const bin = Math.min(BINS - 1, Math.floor(at / this.#widthS));
    bins[bin] = (bins[bin] ?? 0) + amount;
    if (at > this.#endS) this.#endS = at;
  }

  bins(): TimelineBin[] {
    const used = this.#endS === 0 ? 0 : Math.min(BINS, Math.floor(this.#endS / this.#widthS) + 1);
    let [due, sent, ended] = [0, 0, 0];
    return Array.from({ length: used }, (_, index) => {
      const of = (series: Series): number => this.#bins[series][index] ?? 0;
      due += of("due");
      sent += of("sent");
      ended += of("ended");
      return {
        fromS: index * this.#widthS,
        toS: (index + 1) * this.#widthS,
        sent: of("sent"),
        ok: of("ok"),
        failed: of("failed"),
        tokens: of("tokens"),
        inFlight: Math.max(0, sent - ended),
        queued: Math.max(0, due - sent),
      };
    });
  }

  #widen(): void {
    for (const name of SERIES) {
      const bins = this.#bins[name];
      for (let index = 0; index < BINS / 2; index++)
        bins[index] = (bins[2 * index] ?? 0) + (bins[2 * index + 1] ?? 0);
      bins.fill(0, BINS / 2);
    }
    this.#widthS *= 2;
  }
}
