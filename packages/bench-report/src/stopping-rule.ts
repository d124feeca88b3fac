import type { JsonValue, ResolvedStoppingRule } from "@onpar/bench-config";
import type { OutputSummary } from "@onpar/sweep-runner";

import { formatSpan } from "./format.ts";

/** The rule and what it means for an output: `eos, cap 256` or `ignore-eos, exactly 256 tokens`. */
export function describeRule(rule: ResolvedStoppingRule): string {
  const length = rule.name === "ignore-eos" ? `exactly ${rule.cap} tokens` : `cap ${rule.cap}`;
  const stop = rule.stop.length === 0 ? "" : `, stop ${rule.stop.map(quote).join(" ")}`;
  return `${rule.name}, ${length}${stop}`;
}

/** No-break spaces keep a stop text whole and as it is when lines are wrapped. */
function quote(text: string): string {
  return JSON.stringify(text).replaceAll(" ", "\u00a0");
}

/** Asked for, sent, and what that makes of it, on one line. */
export function describeRuleResolution(rule: ResolvedStoppingRule): string {
  const sent = describeValues(rule.sent);
  return `ignore_eos requested ${rule.requested.ignoreEos}; sent ${sent === "" ? "nothing" : sent} -> rule ${describeRule(rule)}`;
}

/** What stands beside every rate: it cannot be read without the lengths it was taken over and the rule that made them. */
export function describeOutputs(outputs: OutputSummary, rule: ResolvedStoppingRule): string {
  return `outputs ${formatSpan(outputs.lengths)} tokens, ${rule.name}`;
}

/** `a=1, b="x"`, in the order given. */
export function describeValues(values: Readonly<Record<string, JsonValue>>): string {
  return Object.entries(values)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join(", ");
}
