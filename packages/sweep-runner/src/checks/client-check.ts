import type { ClientCheck, DelaySummary, Finding } from "../result.ts";
import type { ClientReport } from "../workers/messages.ts";

/** Delay of the event loop that stamps, p99, above which time stamps may be late by as much. */
export const EVENT_LOOP_LIMIT_MS = 25;
/** Lateness of starts that nothing but this client held up, p99. */
export const SCHEDULE_LIMIT_MS = 25;
/** A thread that has no more idle time than this does its work late. */
export const BUSY_LIMIT = 0.95;
/** Shorter than this, the share says how a run starts. */
const BUSY_LEAST_S = 1;

/** How the client did over all threads that stamped, and all parts of a run; of each figure the worst. Null for no report. */
export function checkClient(reports: readonly ClientReport[]): ClientCheck | null {
  if (reports.length === 0) return null;
  const eventLoopDelayMs = worst(reports);
  const schedules = reports.flatMap(({ scheduleErrorMs }) => scheduleErrorMs ?? []);
  const scheduleErrorMs = schedules.length === 0 ? null : worst(schedules);
  const long = reports.filter(({ watchedS }) => watchedS >= BUSY_LEAST_S);
  const limits: string[] = [];
  if (eventLoopDelayMs.p99Ms > EVENT_LOOP_LIMIT_MS) {
    limits.push(
      `its event loop was late by ${eventLoopDelayMs.p99Ms.toFixed(0)} ms at p99 (limit ${EVENT_LOOP_LIMIT_MS} ms, ` +
        `worst ${eventLoopDelayMs.maxMs.toFixed(0)} ms), so arrival times may be late by as much`,
    );
  }
  if (scheduleErrorMs !== null && scheduleErrorMs.p99Ms > SCHEDULE_LIMIT_MS) {
    limits.push(
      `it took requests up ${scheduleErrorMs.p99Ms.toFixed(0)} ms late at p99 (limit ${SCHEDULE_LIMIT_MS} ms, ` +
        `worst ${scheduleErrorMs.maxMs.toFixed(0)} ms) although there was room for them`,
    );
  }
  const busiest = Math.max(0, ...long.map(({ busyShare }) => busyShare));
  if (busiest > BUSY_LIMIT) {
    limits.push(
      `a thread that stamps was busy ${(100 * busiest).toFixed(0)} % of the time (limit ${100 * BUSY_LIMIT} %)`,
    );
  }
  return {
    eventLoopDelayMs,
    scheduleErrorMs,
    cpuShare: Math.max(...reports.map(({ busyShare }) => busyShare)),
    socketBacklog: mostOf(reports.map(({ largestRead }) => largestRead)),
    limits,
    clientBound: limits.length > 0,
  };
}

/** A finding when the client itself was the bottleneck; empty otherwise. */
export function auditClient(client: ClientCheck | null): Finding[] {
  if (client === null || !client.clientBound) return [];
  return [
    {
      severity: "warning",
      code: "client-bound",
      message: `this client was busy: ${client.limits.join("; ")}`,
    },
  ];
}

function worst(delays: readonly DelaySummary[]): DelaySummary {
  const most = (of: (delay: DelaySummary) => number): number => Math.max(...delays.map(of));
  return { p50Ms: most((d) => d.p50Ms), p99Ms: most((d) => d.p99Ms), maxMs: most((d) => d.maxMs) };
}

function mostOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.max(...known);
}
