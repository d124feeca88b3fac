import type { MetricsDelta } from "@onpar/metrics-client";
import type { RequestRecord } from "../record.ts";
import type { Finding } from "../result.ts";

/** What the server's own page says over the measured phase. */
export interface ServerFacts {
  readonly metrics: MetricsDelta | null;
  readonly metricsProblem?: string | null | undefined;
  /** Whether somebody named the metrics page, so that it ought to be there. */
  readonly metricsNamed?: boolean | undefined;
  readonly runningAfter?: number | null | undefined;
  readonly draftBudget: number | null;
}

/** Share of the own output tokens by which a server's count may be higher: some count tokens that clients never get. */
const TOKEN_TOLERANCE = 0.01;

/** What the server's own counters say against the run: restarts, and requests of somebody else. Takes measured records. */
export class ServerAudit {
  #measured = 0;
  #ok = 0;
  /** What was sent and never answered (interrupted, timed out) may have reached the server: it counts aborted requests too. */
  #reached = 0;
  #tellDrafted = true;
  #drafted = 0;
  #outputTokens: number | null = 0;

  add({ state, status, sentNs, acceptance, outputTokens }: RequestRecord): void {
    this.#measured++;
    if (state === "ok") this.#ok++;
    if (status === 200 || (status === null && sentNs !== null)) this.#reached++;
    if (acceptance === null) this.#tellDrafted = false;
    else this.#drafted += acceptance.draftTokens;
    this.#outputTokens =
      outputTokens === null || this.#outputTokens === null ? null : this.#outputTokens + outputTokens;
  }

  findings(facts: ServerFacts): Finding[] {
    const { metrics, metricsProblem = null } = facts;
    if (metrics === null) {
      if (metricsProblem === null) return [];
      const message = `the metrics page could not be read (${metricsProblem}): foreign traffic and restarts go unseen`;
      return facts.metricsNamed === true
        ? [{ severity: "warning", code: "metrics-unreadable", message }]
        : [{ severity: "note", code: "metrics-absent", message }];
    }
    if (metrics.reset) {
      const signs = metrics.resetSigns.slice(0, 3).map(({ kind, series }) => `${series} ${kind}`);
      const message = `the server's counters started again during the run (${signs.join("; ")}): it restarted`;
      return [{ severity: "breach", code: "counters-reset", message }];
    }
    const foreign =
      this.#foreignRequests(metrics) ??
      this.#foreignDrafts(metrics) ??
      this.#foreignTokens(metrics, facts.draftBudget);
    if (foreign !== null) {
      const message = `${foreign}: its counters, and maybe every latency, hold foreign traffic`;
      return [{ severity: "breach", code: "foreign-traffic", message }];
    }
    return [...this.#lag(metrics), ...running(facts)];
  }

  get #allOk(): boolean {
    return this.#measured > 0 && this.#ok === this.#measured;
  }

  #foreignRequests({ requestsFinished: finished }: MetricsDelta): string | null {
    if (finished === null || finished <= this.#reached) return null;
    return `the server finished ${finished} requests during the run, of which at most ${this.#reached} were this run's`;
  }

  /** Where every answer tells what was drafted for it, the server can have drafted no more. */
  #foreignDrafts({ spec }: MetricsDelta): string | null {
    const drafted = spec?.draftTokens ?? null;
    if (!this.#allOk || !this.#tellDrafted || drafted === null || drafted <= this.#drafted) return null;
    return `the server drafted ${drafted} tokens during the run, of which ${this.#drafted} were for this run's requests`;
  }

  /** A request of somebody else that outlives the run is in no count of finished requests, but its tokens are counted. */
  #foreignTokens({ generationTokens: generated }: MetricsDelta, draftBudget: number | null): string | null {
    const own = this.#outputTokens;
    if (!this.#allOk || generated === null || own === null) return null;
    const tolerance = own * TOKEN_TOLERANCE + this.#measured * ((draftBudget ?? 0) + 1);
    if (generated <= own + tolerance) return null;
    return `the server generated ${generated} tokens during the run, of which ${own} were this run's`;
  }

  #lag({ requestsFinished: finished }: MetricsDelta): Finding[] {
    if (finished === null || finished >= this.#ok) return [];
    const message = `the server counts ${finished} finished requests where ${this.#ok} were answered: its counters lag or are not for this server`;
    return [{ severity: "warning", code: "counters-lag", message }];
  }
}

/** Only a warning: some engines refresh this gauge long after the last request. */
function running({ runningAfter }: ServerFacts): Finding[] {
  const count = runningAfter ?? 0;
  if (count === 0) return [];
  const message = `the server still ran ${count} requests when this run's had ended: they may be somebody else's`;
  return [{ severity: "warning", code: "server-busy", message }];
}
