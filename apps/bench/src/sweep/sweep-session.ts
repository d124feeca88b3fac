import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { BenchConfig } from "@onpar/bench-config";
import { loadGgufTokenizer } from "@onpar/engine-binding";
import {
  createServerKeeper,
  ladderCsv,
  nothingMeasured,
  openSweepJournal,
  requestsOnPage,
  runSweep,
  waitUntilIdle,
  withSystemFacts,
  type LadderContext,
  type StepLine,
  type SweepPlan,
  type SweepResult,
  type SweepStep,
  type SystemFacts,
} from "@onpar/sweep-runner";

import { createEngineKeeper } from "../engine-keeper.ts";
import type { Env } from "../env.ts";
import { duration, type Progress } from "../progress.ts";
import { apiKeyOf } from "../target.ts";
import { packageVersion } from "../version.ts";

/** The systems that a sweep measures: engines that are loaded and servers that are started as points need them. */
export interface SweepSession {
  /** Makes the system of a configuration ready and looks at it. */
  facts(config: BenchConfig): Promise<SystemFacts>;
  /** Everything that a point is measured with. */
  contextOf(config: BenchConfig, boot: number, folder: string, signal: AbortSignal): Promise<LadderContext>;
  /** Makes the system of a point ready, and waits until nothing else runs on it; aborted when its server ends. */
  prepare(step: SweepStep): Promise<AbortSignal | null>;
  close(): Promise<void>;
}

interface SessionOptions {
  /** Text at the head of the prompts of ladders; null draws one. */
  readonly tag: string | null;
  readonly env: Env;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

export function openSweepSession(
  config: BenchConfig,
  { env, progress, signal, tag: ownTag }: SessionOptions,
): SweepSession {
  const apiKey = apiKeyOf(config, env);
  const servers = createServerKeeper({
    apiKey,
    onProgress: (text) => progress.announce(text),
    environment: env.variables,
  });
  const engines = createEngineKeeper({ progress, signal });
  // Two sweeps, and two starts of one, must not meet each other's prompts in a prefix cache.
  const tag = ownTag ?? randomBytes(4).toString("hex");
  const systemOf = async (point: BenchConfig, boot: number) => ({
    apiKey,
    engine: await engines.ensure(point, boot),
    toolVersion: packageVersion(),
    observer: progress,
    loadGgufTokenizer,
  });
  const pages = (point: BenchConfig): string =>
    point.target.metricsUrl ?? `${new URL(point.target.baseUrl).origin}/metrics`;
  return {
    async facts(point) {
      await servers.ensure(point, 1, signal);
      const system = await systemOf(point, 1);
      return withSystemFacts(point, system, signal, async (facts) => facts);
    },
    async contextOf(point, boot, folder, pointSignal) {
      return { system: await systemOf(point, boot), folder, tag, signal: pointSignal };
    },
    async prepare({ config: point, boot }) {
      const server = await servers.ensure(point, boot, signal);
      if (point.target.endpoint === "engine") return null;
      progress.announce("waiting until the server is idle");
      const headers: Record<string, string> = apiKey === null ? {} : { authorization: `Bearer ${apiKey}` };
      await waitUntilIdle({ read: requestsOnPage(pages(point), headers), signal });
      return server?.died ?? null;
    },
    async close() {
      await engines.dispose();
      await servers.stop();
    },
  };
}

/** How a plan is gone through. */
export interface TakeSweepOptions extends Omit<SessionOptions, "tag"> {
  readonly kind: string;
  readonly folder: string;
  readonly resume: boolean;
  readonly plan: SweepPlan;
  readonly session: SweepSession;
  readonly measure: (step: SweepStep, context: LadderContext) => Promise<object>;
}

/** Goes through a plan, with its journal, and writes the rows as CSV when it ends, however it ends. */
export async function takeSweep(options: TakeSweepOptions): Promise<SweepResult> {
  const { kind, folder, resume, plan, session, measure, progress, signal } = options;
  const journal = await openSweepJournal(folder, plan, { kind, resume, toolVersion: packageVersion() });
  let left = "";
  try {
    const result = await runSweep({
      plan,
      journal,
      signal,
      prepare: (step) => session.prepare(step),
      runPoint: async (step, { signal: pointSignal }) => {
        const context = await session.contextOf(step.config, step.boot, folder, pointSignal);
        return asRow(await measure(step, context));
      },
      emptiness: nothingMeasured,
      onEvent: (event) => {
        if (event.type === "step-started") {
          progress.announce(`${event.index + 1}/${event.steps} ${event.step.id}${left}`);
        }
        if (event.type === "step-ended")
          left = event.leftS === null ? "" : `, about ${duration(event.leftS)} left`;
        if (event.type === "cooldown") progress.announce(`cooling down for ${event.seconds} s`);
      },
    });
    await writeFile(join(folder, "rows.csv"), ladderCsv(result.lines));
    return result;
  } finally {
    await journal.release();
  }
}

/** A row as the journal keeps it. */
export function asRow(row: object): StepLine["row"] {
  const plain: StepLine["row"] = JSON.parse(JSON.stringify(row));
  return plain;
}
