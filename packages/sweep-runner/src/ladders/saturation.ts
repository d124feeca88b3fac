/** One trial of a saturation search. */
export interface SaturationTrial {
  readonly value: number;
  /** Trials at this value that met the service levels. */
  readonly met: number;
  readonly of: number;
  readonly holds: boolean;
}

/** What a search found. */
export interface SaturationResult {
  /** Largest value at which the levels hold; null when they do not hold at the lowest one. */
  readonly largest: number | null;
  /** Smallest value at which they were seen not to hold; null when they held up to the limit. */
  readonly smallestMiss: number | null;
  /** In the order in which they were taken. */
  readonly trials: readonly SaturationTrial[];
}

/** Where a search looks. */
export interface SaturationOptions {
  /** Values are whole numbers (concurrency) or not (requests per second). */
  readonly integer: boolean;
  readonly from: number;
  readonly to: number;
  /** Trials at each value; more than half of them have to meet the levels. Default 3. */
  readonly trials?: number | undefined;
  /** The search ends when largest and smallest miss are within this share of each other. Default 5 %, for whole numbers 1. */
  readonly tolerance?: number | undefined;
  /** Whether one measurement at a value meets the levels. */
  readonly measure: (value: number, trial: number) => Promise<boolean>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The largest concurrency or rate that meets the service levels: doubled from the lowest value until a trial misses, then bisected
 * between the last that held and the first that did not. Each value is tried several times, as one trial says little near
 * the edge; a value is given up as soon as a majority is out of reach.
 */
export async function searchSaturation(options: SaturationOptions): Promise<SaturationResult> {
  const { integer, from, to, tolerance = 0.05 } = options;
  const isStopped = (): boolean => options.signal?.aborted === true;
  const trials: SaturationTrial[] = [];
  const holdsAt = async (value: number): Promise<boolean> => {
    const trial = await tryValue(value, options);
    trials.push(trial);
    return trial.holds;
  };
  let largest: number | null = null;
  let smallestMiss: number | null = null;
  for (let value = from; !isStopped(); value = Math.min(to, value * 2)) {
    if (!(await holdsAt(value))) {
      smallestMiss = value;
      break;
    }
    largest = value;
    if (value >= to) break;
  }
  while (largest !== null && smallestMiss !== null && !isStopped()) {
    const near = integer ? Math.max(1, Math.floor(tolerance * largest)) : tolerance * largest;
    if (smallestMiss - largest <= near) break;
    const middle: number = (largest + smallestMiss) / 2;
    const value = integer ? Math.floor(middle) : middle;
    if (await holdsAt(value)) largest = value;
    else smallestMiss = value;
  }
  return { largest, smallestMiss, trials };
}

async function tryValue(
  value: number,
  { trials = 3, measure, signal }: SaturationOptions,
): Promise<SaturationTrial> {
  const needed = Math.floor(trials / 2) + 1;
  const isStopped = (): boolean => signal?.aborted === true;
  let met = 0;
  let of = 0;
  while (of < trials && met < needed && met + trials - of >= needed && !isStopped()) {
    if (await measure(value, of)) met++;
    of++;
  }
  return { value, met, of, holds: met >= needed };
}
