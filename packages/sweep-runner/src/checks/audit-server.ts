import type { MetricsDelta } from "@onpar/metrics-client";
import type { RequestRecord } from "../record.ts";
import type { Finding } from "../result.ts";

export interface ServerCountersInput {
  /** Records of the measured phase. */
  readonly measured: readonly RequestRecord[];
  readonly metrics: MetricsDelta | null;
  readonly metricsProblem?: string | null;
  /** Whether somebody named the metrics page, so that it ought to be there. */
  readonly metricsNamed?: boolean;
  readonly runningAfter?: number | null;
  readonly draftBudget: number | null;
}

/** Share of the own output tokens by which a server's count may be higher: some count tokens that clients never get. */
const TOKEN_TOLERANCE = 0.01;

/** What the server's own counters say against the run: restarts, and requests of somebody else. */
export function auditServerCounters(input: ServerCountersInput): Finding[] {
  const { metrics, metricsProblem = null } = input;
  if (metrics === null) {
    if (metricsProblem === null) return [];
    const message = `the metrics page could not be read (${metricsProblem}): foreign traffic and restarts go unseen`;
    return input.metricsNamed === true
      ? [{ severity: "warning", code: "metrics-unreadable", message }]
      : [{ severity: "note", code: "metrics-absent", message }];
  }
  if (metrics.reset) {
    const signs = metrics.resetSigns.slice(0, 3).map(({ kind, series }) => `${series} ${kind}`);
    const message = `the server's counters started again during the run (${signs.join("; ")}): it restarted`;
    return [{ severity: "breach", code: "counters-reset", message }];
  }
  const foreign = foreignRequests(input) ?? foreignDrafts(input) ?? foreignTokens(input);
  if (foreign !== null) {
    const message = `${foreign}: its counters, and maybe every latency, hold foreign traffic`;
    return [{ severity: "breach", code: "foreign-traffic", message }];
  }
  return [...auditLag(input), ...auditRunning(input)];
}

function foreignRequests({ measured, metrics }: ServerCountersInput): string | null {
  const finished = metrics?.requestsFinished ?? null;
  // What was sent and never answered (interrupted, timed out) may have reached the server: it counts aborted requests too.
  const own = measured.filter(
    ({ status, sentNs }) => status === 200 || (status === null && sentNs !== null),
  ).length;
  if (finished === null || finished <= own) return null;
  return `the server finished ${finished} requests during the run, of which at most ${own} were this run's`;
}

/** Where every answer tells what was drafted for it, the server can have drafted no more. */
function foreignDrafts({ measured, metrics }: ServerCountersInput): string | null {
  if (!allOk(measured)) return null;
  const own = measured.flatMap(({ acceptance }) => (acceptance === null ? [] : [acceptance]));
  const drafted = metrics?.spec?.draftTokens ?? null;
  const ownDrafted = own.reduce((sum, { draftTokens }) => sum + draftTokens, 0);
  if (own.length < measured.length || drafted === null || drafted <= ownDrafted) return null;
  return `the server drafted ${drafted} tokens during the run, of which ${ownDrafted} were for this run's requests`;
}

/** A request of somebody else that outlives the run is in no count of finished requests, but its tokens are counted. */
function foreignTokens({ measured, metrics, draftBudget }: ServerCountersInput): string | null {
  const generated = metrics?.generationTokens ?? null;
  if (!allOk(measured) || generated === null) return null;
  let own = 0;
  for (const { outputTokens } of measured) {
    if (outputTokens === null) return null;
    own += outputTokens;
  }
  const tolerance = own * TOKEN_TOLERANCE + measured.length * ((draftBudget ?? 0) + 1);
  if (generated <= own + tolerance) return null;
  return `the server generated ${generated} tokens during the run, of which ${own} were this run's`;
}

function auditLag({ measured, metrics }: ServerCountersInput): Finding[] {
  const finished = metrics?.requestsFinished ?? null;
  const ok = measured.filter((record) => record.state === "ok").length;
  if (finished === null || finished >= ok) return [];
  const message = `the server counts ${finished} finished requests where ${ok} were answered: its counters lag or are not for this server`;
  return [{ severity: "warning", code: "counters-lag", message }];
}

/** Only a warning: some engines refresh this gauge long after the last request. */
function auditRunning({ runningAfter }: ServerCountersInput): Finding[] {
  const running = runningAfter ?? 0;
  if (running === 0) return [];
  const message = `the server still ran ${running} requests when this run's had ended: they may be somebody else's`;
  return [{ severity: "warning", code: "server-busy", message }];
}

function allOk(measured: readonly RequestRecord[]): boolean {
  return measured.length > 0 && measured.every((record) => record.state === "ok");
}
