import { breachesOf } from "@onpar/bench-report";
import type { RecordedError, RequestRecord, RunObserver, RunResult } from "@onpar/sweep-runner";

import type { Env } from "./env.ts";
import { oneLine } from "./failure.ts";

/** Says on standard error, in a line that begins like every other error, that what was asked for did not come about. */
export function writeOutcome(line: string | null, env: Env): void {
  if (line !== null) env.stderr.write(`onpar: ${oneLine(line)}\n`);
}

/** What is to be said of a request that did not end well; null for one that did. */
export function oneShotOutcome({ state, error }: RequestRecord): string | null {
  if (state === "aborted") return "interrupted: the text ends where it was stopped";
  return state === "failed" ? `the request failed: ${error?.message ?? "no reason was recorded"}` : null;
}

/** What is to be said of a run that nobody sees the report of, in the order of the exit codes; null for a good one. */
export function runOutcome(result: RunResult, firstError: RecordedError | null): string | null {
  const { ok, failed, dropped, asked } = result.summary.counts;
  const parts: string[] = [];
  if (result.interrupted) parts.push(`interrupted: ${ok + failed} of ${asked} requests had ended`);
  const breaches = breachesOf(result);
  if (breaches.length > 0) {
    const said = breaches.map(({ code, message }) => `${code}, ${message}`).join("; ");
    parts.push(`the stated protocol was not kept: ${said}`);
  }
  if (failed > 0) {
    const message = firstError === null ? "no reason was recorded" : firstError.message;
    parts.push(`${failed} of ${asked} requests failed: ${message}`);
  }
  if (dropped > 0) parts.push(`${dropped} of ${asked} requests came due and were never sent`);
  return parts.length === 0 ? null : parts.join("; ");
}

/** Passes events on, and keeps the error of the first measured request that failed. */
export function watchErrors(observer: RunObserver): RunObserver & { readonly first: RecordedError | null } {
  let first: RecordedError | null = null;
  return {
    get first() {
      return first;
    },
    onEvent(event) {
      if (event.type === "request-finished" && event.record.phase === "measure") first ??= event.record.error;
      observer.onEvent(event);
    },
  };
}
