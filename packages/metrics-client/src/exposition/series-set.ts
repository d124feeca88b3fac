import type { MetricSample } from "./sample.ts";
import { seriesKey } from "./series-key.ts";

/** Series that a page can make land in one place of the table before they are told apart by their text instead. */
const MOST_PROBES = 64;

/** Finds series that are given twice, whatever the order of their labels; a table of hashes, since pages are long. */
export class SeriesSet {
  readonly #samples: readonly MetricSample[];
  /** Index of the sample plus 1; 0 is free. */
  #slots = new Int32Array(1024);
  #hashes = new Int32Array(512);
  #size = 0;
  /** Series that found no place nearby: a page that is made so that hashes meet must not cost more than another. */
  readonly #crowded = new Map<string, number>();

  /** @param samples where the caller puts every sample that {@link add} takes, in the same order */
  constructor(samples: readonly MetricSample[]) {
    this.#samples = samples;
  }

  /** Index of the sample with the same name and labels; -1 when there is none, and the sample is then taken as the next. */
  add(sample: MetricSample, hash: number): number {
    if (this.#size === this.#hashes.length) this.#grow();
    const mask = this.#slots.length - 1;
    let slot = spread(hash) & mask;
    let probes = 0;
    for (; probes < MOST_PROBES; probes++) {
      const index = (this.#slots[slot] ?? 0) - 1;
      if (index < 0) break;
      const known = this.#samples[index];
      if (this.#hashes[index] === hash && known !== undefined && isSameSeries(known, sample)) return index;
      slot = (slot + 1) & mask;
    }
    if (this.#crowded.size > 0) {
      const index = this.#crowded.get(seriesKey(sample));
      if (index !== undefined) return index;
    }
    const index = this.#size++;
    this.#hashes[index] = hash;
    if (probes < MOST_PROBES) this.#slots[slot] = index + 1;
    else this.#crowded.set(seriesKey(sample), index);
    return -1;
  }

  #grow(): void {
    const hashes = new Int32Array(this.#hashes.length * 2);
    hashes.set(this.#hashes);
    this.#hashes = hashes;
    this.#slots = new Int32Array(this.#slots.length * 2);
    this.#crowded.clear();
    const mask = this.#slots.length - 1;
    for (let index = 0; index < this.#size; index++) {
      let slot = spread(hashes[index] ?? 0) & mask;
      let probes = 0;
      for (; probes < MOST_PROBES && this.#slots[slot] !== 0; probes++) slot = (slot + 1) & mask;
      const sample = this.#samples[index];
      if (probes < MOST_PROBES) this.#slots[slot] = index + 1;
      else if (sample !== undefined) this.#crowded.set(seriesKey(sample), index);
    }
  }
}

/** Neighbouring hashes end up far from each other. */
function spread(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  return mixed ^ (mixed >>> 15);
}

function isSameSeries(a: MetricSample, b: MetricSample): boolean {
  if (a.name !== b.name) return false;
  const names = Object.keys(a.labels);
  return (
    names.length === Object.keys(b.labels).length && names.every((name) => a.labels[name] === b.labels[name])
  );
}
