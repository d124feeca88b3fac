import { readingFrom, type AcceptanceOutcome, type AcceptanceReading } from "../normal/acceptance-reading.ts";
import { FIGURE_SOURCES, type FigureWindow } from "../normal/figure.ts";
import { exact, type Quantity } from "../normal/quantity.ts";
import type { RequestAcceptance } from "./request-acceptance.ts";

/**
 * One reading of all requests of a run: sums first, then ratios. A count that one of them does not tell is unknown for all; null
 * for an empty list.
 *
 * @param window default: an unknown time, told by the requests alone
 */
export function sumRequestAcceptance(
  requests: readonly RequestAcceptance[],
  window: FigureWindow = { kind: "per-request", from: null, to: null },
): AcceptanceReading | null {
  if (requests.length === 0) return null;
  const total = (read: (one: RequestAcceptance) => number | null): Quantity | null => {
    let sum = 0;
    for (const one of requests) {
      const value = read(one);
      if (value === null) return null;
      sum += value;
    }
    return exact(sum);
  };
  return readingFrom(
    {
      draftTokens: total((one) => one.draftTokens),
      acceptedTokens: total((one) => one.acceptedTokens),
      verifySteps: total((one) => one.verifySteps),
      acceptedPerPosition: positions(requests, (one) => one.acceptedPerPosition),
      draftedPerPosition: positions(requests, (one) => one.draftedPerPosition),
      generated: total((one) => one.generated),
      firstTokens: total((one) => (one.generated === null ? null : Math.min(1, one.generated))),
      decodeSteps: total((one) => one.decodeSteps),
      source: "per-request",
    },
    window,
  );
}

function positions(
  requests: readonly RequestAcceptance[],
  read: (one: RequestAcceptance) => readonly number[] | null,
): number[] | null {
  const sums: number[] = [];
  for (const one of requests) {
    const told = read(one);
    if (told === null) return null;
    for (const [position, count] of told.entries()) sums[position] = (sums[position] ?? 0) + count;
  }
  return sums;
}

/**
 * The most trustworthy of several readings: fields of the own responses before counters, counters before averages since the
 * start, those before gauges, and gauges before estimates. One without a figure comes after all that have one.
 */
export function bestAcceptance(
  readings: readonly (AcceptanceReading | AcceptanceOutcome | null)[],
): AcceptanceReading | null {
  const rank = (reading: AcceptanceReading): number =>
    FIGURE_SOURCES.indexOf(reading.source) +
    (reading.rate === null && reading.meanLength === null ? FIGURE_SOURCES.length : 0);
  const told = readings
    .map((one) => (one !== null && "missing" in one ? one.reading : one))
    .filter((one) => one !== null);
  return told.toSorted((a, b) => rank(a) - rank(b))[0] ?? null;
}
