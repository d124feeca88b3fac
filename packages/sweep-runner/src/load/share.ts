import type { Timeline } from "../clock.ts";
import type { Cursor } from "./cursor.ts";
import type { LoadPlan } from "./load-plan.ts";
import { Pacer } from "./pacer.ts";

/** The part of a load that one thread sends. */
export interface LoadShare {
  readonly plan: LoadPlan;
  readonly cursor: Cursor;
  /** Its lanes among those of the plan: from the first on, every `workers`-th. */
  readonly worker: number;
  readonly workers: number;
  /** Start of the load, ns since the start of the run. */
  readonly startNs: number;
}

/** What the share sends with. */
export interface ShareIo {
  readonly timeline: Timeline;
  readonly signal: AbortSignal;
  /** Sends the request of that number, of the job that begins at `first`; settles when it has ended: false where nothing was answered. */
  send(index: number, dueNs: number, first: number): Promise<unknown>;
  /** A job with a time of its own was taken up so late although there was room for it. */
  taken?(lateNs: number): void;
  /** The request came due and is not sent, or the turn before it was not answered. */
  drop(index: number, dueNs: number): void;
}

/**
 * Sends the jobs of a share. In a closed loop a lane takes the next job when its last one has ended, and that is when the
 * job is due. In an open loop a job is due at its arrival, whatever became of the others; where lanes are bounded it waits
 * for one, and is dropped when that takes too long. Resolves when all that was sent has ended; after the signal, nothing
 * more is taken.
 */
export async function runShare(share: LoadShare, io: ShareIo): Promise<void> {
  const { plan, cursor, startNs } = share;
  const { timeline, signal } = io;
  const pacer = new Pacer(timeline, meanGapNs(share));
  const onAbort = (): void => pacer.stop();
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) pacer.stop();
  const endNs = plan.untilNs === null ? Infinity : startNs + plan.untilNs;
  const isOver = (): boolean => signal.aborted || timeline.now() >= endNs;
  const jobCount = plan.dueNs?.length ?? plan.jobStarts.length - 1;
  const requestsOf = (job: number): [first: number, end: number] => [
    plan.jobStarts[job] ?? 0,
    plan.jobStarts[job + 1] ?? 0,
  ];

  const dropFrom = (index: number, end: number): void => {
    for (let rest = index; rest < end; rest++) io.drop(rest, timeline.now());
  };
  const play = async (job: number, dueNs: number): Promise<void> => {
    const [first, end] = requestsOf(job);
    let turnDueNs = dueNs;
    for (let index = first; index < end; index++) {
      if (index > first) {
        turnDueNs = timeline.now() + plan.turnDelayNs;
        await pacer.until(turnDueNs);
        if (signal.aborted) return;
        // In an open loop the whole conversation came due; in a closed one it is left off where time ends it.
        if (isOver()) return plan.dueNs === null ? undefined : dropFrom(index, end);
      }
      if ((await io.send(index, turnDueNs, first)) !== false) continue;
      // Nothing to go on from: what is left of the conversation is not sent.
      return signal.aborted ? undefined : dropFrom(index + 1, end);
    }
  };

  /** Waits for the arrival of a job; false when it is not to be sent. */
  const arrived = async (job: number, dueNs: number): Promise<boolean> => {
    const wait = pacer.until(dueNs);
    await wait;
    if (signal.aborted) return false;
    const nowNs = timeline.now();
    // Where lanes are bounded, one that came free after the start was due says nothing about this client.
    if (wait !== null || plan.lanes === null) io.taken?.(nowNs - dueNs);
    if (nowNs < endNs && nowNs - dueNs <= plan.lateLimitNs) return true;
    const [first, end] = requestsOf(job);
    for (let index = first; index < end; index++) io.drop(index, dueNs);
    return false;
  };

  const dueOf = (job: number): number => startNs + (plan.dueNs?.[job] ?? 0);
  const openLane = async (): Promise<void> => {
    while (!signal.aborted) {
      const job = cursor.take();
      if (job < 0 || job >= jobCount) return;
      if (await arrived(job, dueOf(job))) await play(job, dueOf(job));
    }
  };
  /** Without a limit, nobody waits for the end of a request. */
  const openClaims = async (): Promise<void> => {
    const playing = new Set<Promise<void>>();
    while (!signal.aborted) {
      const job = cursor.take();
      if (job < 0 || job >= jobCount) break;
      if (!(await arrived(job, dueOf(job)))) continue;
      const played: Promise<void> = play(job, dueOf(job)).finally(() => playing.delete(played));
      playing.add(played);
    }
    await Promise.all(playing);
  };

  const gates = createGates(share, pacer, timeline);
  const closedLane = async (lane: number): Promise<void> => {
    await gates.opened(lane);
    await pacer.until(startNs);
    while (!isOver() && !gates.isClosed(lane, timeline.now())) {
      const job = cursor.take();
      if (job < 0) return;
      await play(job, timeline.now());
    }
  };

  try {
    if (plan.dueNs !== null && plan.lanes === null) await openClaims();
    else {
      const lane = plan.dueNs === null ? closedLane : openLane;
      await Promise.all(lanesOf(share).map((index) => lane(index)));
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    pacer.stop();
  }
}

/** The lanes of a share, by their number in the plan. */
export function lanesOf({ plan, worker, workers }: Pick<LoadShare, "plan" | "worker" | "workers">): number[] {
  const lanes = worker < workers ? Math.min(plan.lanes ?? 0, plan.jobStarts.length - 1) : 0;
  const own: number[] = [];
  for (let lane = worker; lane < lanes; lane += workers) own.push(lane);
  return own;
}

/**
 * How many of the workers take part where jobs are dealt out in turn. One without a lane could never send its jobs, and
 * where a ramp counts jobs, only a worker that takes all of them sees it go on.
 */
export function dealtWorkers(plan: LoadPlan, workers: number): number {
  if (plan.gates?.unit === "jobs") return 1;
  return plan.lanes === null ? workers : Math.min(workers, plan.lanes);
}

function meanGapNs({ plan, workers }: LoadShare): number {
  const { dueNs } = plan;
  if (dueNs === null || dueNs.length < 2) return Infinity;
  return (((dueNs.at(-1) ?? 0) - (dueNs[0] ?? 0)) / (dueNs.length - 1)) * workers;
}

/** How often lanes that wait for jobs of other workers look, ns. */
const GATE_POLL_NS = 2_000_000;

interface Gates {
  opened(lane: number): Promise<void> | null;
  isClosed(lane: number, nowNs: number): boolean;
}

function createGates({ plan, cursor, startNs }: LoadShare, pacer: Pacer, timeline: Timeline): Gates {
  const { gates } = plan;
  if (gates === null) return { opened: () => null, isClosed: () => false };
  const jobs = plan.jobStarts.length - 1;
  const waiting = new Map<number, () => void>();
  const poll = async (): Promise<void> => {
    while (waiting.size > 0) {
      const wait = pacer.until(timeline.now() + GATE_POLL_NS);
      await wait;
      // Stopped, or nothing left to take: no lane shall wait on.
      const upTo = wait === null || cursor.taken >= jobs ? Infinity : cursor.taken;
      for (const [lane, open] of waiting) {
        if ((gates.opensAt[lane] ?? 0) > upTo) continue;
        waiting.delete(lane);
        open();
      }
    }
  };
  return {
    opened(lane) {
      const at = gates.opensAt[lane] ?? 0;
      if (gates.unit === "ns") return pacer.until(startNs + at);
      if (at <= cursor.taken) return null;
      return new Promise((resolve) => {
        waiting.set(lane, resolve);
        if (waiting.size === 1) void poll();
      });
    },
    isClosed(lane, nowNs) {
      const at = gates.closesAt[lane] ?? Infinity;
      return at <= (gates.unit === "ns" ? nowNs - startNs : cursor.taken);
    },
  };
}
