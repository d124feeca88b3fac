import type { RunResult } from "@onpar/sweep-runner";

import { breachesOf } from "../breaches.ts";
import { count, formatNumber, formatPercent } from "../format.ts";
import type { Page } from "../paint.ts";
import { describeOutputs } from "../stopping-rule.ts";
import { hanging, wrap } from "../text.ts";

const ERRORS_SHOWN = 8;

/** How many requests ended well comes before any figure. */
export function headline(result: RunResult, page: Page): string[] {
  const { paint, width } = page;
  const { counts, errorRate } = result.summary;
  const parts = [
    `${counts.asked} asked: ${counts.ok} ok, ${counts.failed} failed, ${counts.aborted} aborted`,
    ...(counts.dropped > 0 ? [`, ${counts.dropped} dropped`] : []),
    ...(counts.unsent > 0 ? [`, ${counts.unsent} never sent`] : []),
    errorRate === null ? "; no request ended" : `; error rate ${formatPercent(errorRate)}`,
  ];
  const tone =
    counts.failed > 0 || counts.ok === 0 ? paint.bad : result.interrupted ? paint.warn : paint.good;
  const lines = wrap(parts.join(""), width).map((line) => paint.strong(tone(line)));
  if (result.interrupted) {
    lines.push(
      ...hanging(
        "  ",
        "Interrupted: latencies and rates are over the requests that ended before that.",
        width,
      ).map(paint.warn),
    );
  }
  const breaches = breachesOf(result);
  if (breaches.length > 0) {
    const codes = breaches.map((finding) => finding.code).join(", ");
    lines.push(
      ...hanging("  ", `This run does not stand as stated: ${codes} (see Findings).`, width).map(paint.bad),
    );
  }
  lines.push(...keyFigures(result, page), ...errorLines(result, page));
  return lines;
}

function keyFigures(result: RunResult, page: Page): string[] {
  const { rates, acceptance, outputs } = result.summary;
  const figures: string[] = [];
  if (rates.decodeCtxsweep !== null) {
    const { p50, n } = rates.decodeCtxsweep;
    figures.push(`decode ${formatNumber(p50)} tok/s per request (p50, n ${n})`);
  }
  if (rates.outputTokensPerS !== null) {
    figures.push(`throughput ${formatNumber(rates.outputTokensPerS)} tok/s`);
  }
  if (acceptance !== null && acceptance.rate !== null) {
    const { rate, meanAcceptanceLength } = acceptance;
    const length = meanAcceptanceLength === null ? "unknown" : formatNumber(meanAcceptanceLength);
    figures.push(`acceptance ${formatPercent(rate)}, mean length ${length}`);
  }
  if (figures.length === 0) return [];
  const beside = describeOutputs(outputs, result.protocol.stoppingRule);
  return hanging("  ", `${figures.join("; ")} [${beside}]`, page.width);
}

function errorLines(result: RunResult, page: Page): string[] {
  const errors = Object.entries(result.summary.errors).sort(([, a], [, b]) => b - a);
  const lines = errors
    .slice(0, ERRORS_SHOWN)
    .flatMap(([message, times]) => hanging(`  ${times} x `, message, page.width).map(page.paint.bad));
  const left = errors.length - ERRORS_SHOWN;
  return left > 0 ? [...lines, `  and ${count(left, "other kind")} of error`] : lines;
}
