import type { ClientCheck, RunResult } from "@onpar/sweep-runner";

import { formatNumber, formatPercent } from "../format.ts";
import type { Page } from "../paint.ts";
import { fields } from "../text.ts";

/** Whether the client was the limit, in a sentence. */
export function describeClient(client: ClientCheck | null): string {
  if (client === null) return "Not looked at: whether the client was the limit is unknown.";
  if (!client.clientBound)
    return `The client was not the limit: its event loop was late by ${formatNumber(client.eventLoopDelayMs.p99Ms)} ms (p99).`;
  const limits = client.limits.length === 0 ? "" : `: ${client.limits.join("; ")}`;
  return `The client was the limit, so that the figures are not the server's alone${limits}.`;
}

/** How the client did beside the server, measure by measure. */
export function clientLines(result: RunResult, page: Page): string[] {
  const { client } = result.summary;
  const verdict = describeClient(client);
  if (client === null) return fields([["self-check", verdict]], page.width);
  const { eventLoopDelayMs: loop, scheduleErrorMs: schedule, cpuShare, socketBacklog } = client;
  const delays = (of: typeof loop): string =>
    `p50 ${formatNumber(of.p50Ms)}, p99 ${formatNumber(of.p99Ms)}, max ${formatNumber(of.maxMs)} ms`;
  const lines = fields(
    [
      ["self-check", verdict],
      ["event loop late by", delays(loop)],
      ["schedule error", schedule === null ? "none: a closed loop has no schedule" : delays(schedule)],
      ["CPU of its busiest thread", cpuShare === null ? "unknown" : formatPercent(cpuShare)],
      ["socket backlog", socketBacklog === null ? "unknown" : `${socketBacklog} at most`],
    ],
    page.width,
  );
  return client.clientBound ? lines.map(page.paint.bad) : lines;
}
