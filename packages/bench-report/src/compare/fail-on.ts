import type { ComparisonVerdict } from "@onpar/bench-config";

import type { Check } from "../files/junit.ts";
import { formatPercent } from "../format.ts";
import { FIGURE_NAMES, type FigureName } from "../result/figures.ts";
import type { Comparison } from "./compare.ts";
import { figureTitle, ratioText } from "./figure-text.ts";

/** `regression:5%` or `regression:5%:ttftMs`. */
export interface FailOn {
  readonly text: string;
  /** Share by which a figure may be worse. */
  readonly share: number;
  /** Null: all figures. */
  readonly figure: FigureName | null;
}

const FORM = /^regression:(\d+(?:\.\d+)?)%(?::([A-Za-z]+))?$/;

/** Null where the text is no such rule. */
export function parseFailOn(text: string): FailOn | null {
  const [, percent, name] = FORM.exec(text.trim()) ?? [];
  if (percent === undefined) return null;
  const figure = name === undefined ? null : FIGURE_NAMES.find((known) => known === name);
  return figure === undefined ? null : { text, share: Number(percent) / 100, figure };
}

/** Verdicts from the best on. */
const ORDER: readonly ComparisonVerdict[] = ["matched", "matched-except", "not-comparable"];

/** Whether a comparison's verdict is at least as good as the one that was required. */
export function checkRequired({ a, b, verdict, reasons }: Comparison, required: ComparisonVerdict): Check {
  return {
    name: `${a} | ${b}: ${required}`,
    passed: ORDER.indexOf(verdict) <= ORDER.indexOf(required),
    message: `${verdict}: ${reasons.join("; ")}`,
  };
}

/**
 * One check per figure and rung: it fails where a figure is significantly worse by the share or more. Where two results
 * cannot be compared there is one check, which fails: that nothing is worse cannot be said.
 */
export function checkRegressions(comparison: Comparison, rule: FailOn): Check[] {
  if (comparison.verdict === "not-comparable") {
    return [
      {
        name: `${comparison.a} | ${comparison.b}: ${rule.text}`,
        passed: false,
        message: `not comparable: ${comparison.reasons.join("; ")}`,
      },
    ];
  }
  return comparison.rungs.flatMap(({ label, figures }) =>
    figures
      .filter(({ figure }) => rule.figure === null || figure === rule.figure)
      .flatMap((one) => {
        if (one.ratio === null || one.ci === null) return [];
        const isWorse = one.change === "worse" && Math.abs(one.ratio - 1) >= rule.share;
        return [
          {
            name: `${label}: ${figureTitle(one.figure)}`,
            passed: !isWorse,
            message: `B / A ${ratioText(one)}, ${one.change}; allowed ${formatPercent(rule.share)}`,
          },
        ];
      }),
  );
}
