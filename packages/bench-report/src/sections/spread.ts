import type { RunResult } from "@onpar/sweep-runner";

import { formatNumber, formatPercent } from "../format.ts";
import type { Page } from "../paint.ts";
import { fields, hanging, table } from "../text.ts";

const NAMES: Readonly<Record<string, string>> = {
  "ttftMs.p50": "TTFT p50, ms",
  "ttftMs.p99": "TTFT p99, ms",
  "tpotMs.p50": "TPOT p50, ms",
  "e2elMs.p50": "E2EL p50, ms",
  "decodeCtxsweep.p50": "decode, ctxsweep p50, tok/s",
  outputTokensPerS: "output throughput, tok/s",
  requestsPerS: "requests, req/s",
};

/** Figures of the repetitions beside each other; nothing where there was one. */
export function spreadLines({ summary: { spread } }: RunResult, page: Page): string[] {
  if (spread === null) return [];
  const rows = Object.entries(spread.figures).flatMap(([name, { median, min, max, cv, ci }]) =>
    median === null
      ? []
      : [
          [
            NAMES[name] ?? name,
            formatNumber(median),
            min === null ? "-" : formatNumber(min),
            max === null ? "-" : formatNumber(max),
            cv === null ? "-" : formatPercent(cv),
            ci === null ? "-" : `[${ci.map(formatNumber).join(", ")}]`,
          ],
        ],
  );
  return [
    ...table([["", "median", "min", "max", "cv", "95 % interval"], ...rows]),
    ...hanging(
      "  ",
      `over ${spread.repetitions} repetitions in ${spread.boots === 1 ? "one boot of the server: what a restart changes is in no interval" : `${spread.boots} boots`}`,
      page.width,
    ).map(page.paint.quiet),
  ];
}

/** Service levels that were asked for, and how many requests kept them; nothing where none was. */
export function goodputLines({ summary: { goodput } }: RunResult, page: Page): string[] {
  if (goodput === null) return [];
  const levels = goodput.slos.map(({ slo, scope, met, of, unknown, value }): [string, string] => [
    slo,
    scope === "run"
      ? `${met === of ? "kept" : "missed"}: ${value === null ? "unknown" : formatNumber(value)}`
      : `${met} of ${of} requests${unknown > 0 ? `, ${unknown} do not tell` : ""}`,
  ]);
  const all: [string, string][] =
    goodput.share === null
      ? []
      : [
          [
            "all of them",
            `${formatPercent(goodput.share)} of the requests; ${goodput.requestsPerS === null ? "unknown" : formatNumber(goodput.requestsPerS)} req/s; failed ones never`,
          ],
        ];
  return fields([...levels, ...all], page.width);
}
