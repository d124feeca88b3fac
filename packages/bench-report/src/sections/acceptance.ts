import type { Acceptance, AcceptanceSource } from "@onpar/metrics-client";
import type { RunResult } from "@onpar/sweep-runner";

import { formatNumber, formatPercent, formatShare, formatSpan } from "../format.ts";
import type { Page } from "../paint.ts";
import { fields, hanging } from "../text.ts";

const SOURCES: Readonly<Record<AcceptanceSource, string>> = {
  "metrics-delta": "metrics page of the server, after minus before the measured requests",
  "engine-counters": "counters of the in-process engine, after minus before",
  "per-request": "counts of each request, as its response or the engine gave them",
};

/** Acceptance of the run with its source and formula, or why there is none. */
export function acceptanceLines(result: RunResult, page: Page): string[] {
  const { acceptance, acceptanceMissing, outputs } = result.summary;
  if (acceptance === null)
    return hanging("  ", `none: ${acceptanceMissing ?? "no reason was recorded"}`, page.width);
  const effective =
    acceptance.effectiveTokensPerStep === null
      ? "unknown"
      : `${formatNumber(acceptance.effectiveTokensPerStep)} (what the client got; tokens accepted past EOS or the cap are in the mean length and not here)`;
  return [
    ...fields(
      [
        ...acceptanceFields(acceptance),
        ["effective per step", effective],
        ["outputs", `${formatSpan(outputs.lengths)} tokens, ${result.protocol.stoppingRule.name}`],
      ],
      page.width,
    ),
    ...positionBars(acceptance, page),
  ];
}

/** The figures that one set of counts gives, source and formula included. */
export function acceptanceFields(acceptance: Acceptance): [string, string][] {
  const { verifySteps, draftTokens, acceptedTokens, rate, meanAcceptanceLength } = acceptance;
  const perPass =
    verifySteps !== null && verifySteps > 0 ? formatNumber(acceptedTokens / verifySteps) : "unknown";
  return [
    [
      "acceptance rate",
      `${rate === null ? "unknown" : formatPercent(rate)} = A / D = ${acceptedTokens} / ${draftTokens} draft tokens`,
    ],
    [
      "mean length",
      `${meanAcceptanceLength === null ? "unknown" : formatNumber(meanAcceptanceLength)} tokens per verify step = 1 + A / V = 1 + ${acceptedTokens} / ${verifySteps ?? "unknown"}`,
    ],
    ["accepted per pass", `${perPass} = A / V, bonus token excluded`],
    ["read from", `${acceptance.source}: ${SOURCES[acceptance.source]}`],
  ];
}

/** One bar per draft position, counted from 0 as servers' metrics do. */
export function positionBars(acceptance: Acceptance, page: Page): string[] {
  const rates = acceptance.perPositionRate;
  if (rates === null) return ["  per position: the source does not tell"];
  if (rates.length === 0) return [];
  const size = Math.max(10, Math.min(40, page.width - 40));
  return [
    "  per position (A_i / V)",
    ...rates.map((share, position) => {
      const filled = Math.round(Math.min(1, Math.max(0, share)) * size);
      const accepted = acceptance.acceptedPerPosition?.[position];
      const bar = page.paint.good("█".repeat(filled)) + page.paint.quiet("░".repeat(size - filled));
      return `    ${String(position).padStart(2)}  ${formatShare(share)}  ${bar}${accepted === undefined ? "" : `  ${accepted}`}`;
    }),
  ];
}
