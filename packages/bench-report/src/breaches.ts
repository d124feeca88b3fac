import type { Finding, RunResult } from "@onpar/sweep-runner";

/**
 * Breaches that make a run not stand as it is stated: its protocol was not kept, or its numbers contradict each other.
 * Failed requests are no breach: they have a count of their own, in the first line of every report.
 */
export function breachesOf(result: RunResult): readonly Finding[] {
  return result.findings.filter(({ severity }) => severity === "breach");
}
