import type { BenchConfig } from "@onpar/bench-config";
import { LIVE_POLICY, livePage, LiveRun, liveView, type LiveEnd } from "@onpar/bench-report";
import type { RunObserver } from "@onpar/sweep-runner";

import type { Env } from "../env.ts";
import { startLiveServer } from "./live-server.ts";

/** Pages are told what is new this often: often enough to watch, and seldom enough to stay out of the way. */
const PUSH_MS = 500;
/** The acceptance is read from the server's metrics page this often, and only while somebody watches. */
const ACCEPTANCE_MS = 5000;

/** The live page of a run. */
export interface LiveDisplay {
  /** Notes each event and passes it on; drawing is left to a timer. */
  watch(observer: RunObserver): RunObserver;
  /** Shows the end, and where the results are, and closes the page. */
  end(end: LiveEnd): Promise<void>;
}

/** Serves the page of a run on the loopback interface, and says where. */
export async function openLiveDisplay(config: BenchConfig, env: Env, port: number): Promise<LiveDisplay> {
  const live = new LiveRun(config, env.nowMs());
  const view = () => liveView(live.state(env.nowMs()));
  const event = (): string => JSON.stringify(view());
  const page = (): string => livePage(config, view());
  const server = await startLiveServer({ port, policy: LIVE_POLICY, page, event });
  env.stderr.write(`Live page: ${server.url}\n`);

  let acceptanceAtMs = -Infinity;
  let isReading = false;
  const readAcceptance = async (): Promise<void> => {
    const nowMs = env.nowMs();
    if (isReading || !live.isMeasuring || live.view === null || nowMs - acceptanceAtMs < ACCEPTANCE_MS)
      return;
    isReading = true;
    acceptanceAtMs = nowMs;
    try {
      live.note(await live.view.acceptance());
    } finally {
      isReading = false;
    }
  };
  const timer = setInterval(() => {
    if (server.watchers === 0) return;
    readAcceptance().catch(() => {});
    server.push(event());
  }, PUSH_MS);
  timer.unref();

  return {
    watch(observer) {
      return {
        onEvent(told) {
          live.onEvent(told, env.nowMs());
          observer.onEvent(told);
        },
      };
    },
    async end(end) {
      clearInterval(timer);
      live.end(end, env.nowMs());
      await server.close(event());
    },
  };
}
