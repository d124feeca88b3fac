import type { ResolvedStoppingRule } from "@onpar/bench-config";
import type { MetricsDelta } from "@onpar/metrics-client";
import type { RequestRecord } from "../record.ts";
import type { Finding, RunSummary } from "../result.ts";
import { auditFigures } from "./audit-figures.ts";
import { CutTurns } from "./cut-turns.ts";
import { OutputAudit } from "./audit-outputs.ts";
import { PromptAudit, type PromptAuditOptions } from "./audit-prompts.ts";
import { ServerAudit } from "./audit-server.ts";
import { StreamAudit } from "./audit-streams.ts";

/** What is known before the first record. */
export interface AuditRules extends PromptAuditOptions {
  readonly rule: ResolvedStoppingRule;
}

/** What is known when the run has ended. */
export interface AuditFacts {
  readonly summary: RunSummary;
  readonly draftBudget: number | null;
  /** Counters of the server over the measured phase; null without a metrics page. */
  readonly metrics: MetricsDelta | null;
  /** Why the metrics page could not be read; null when it could, and in process. */
  readonly metricsProblem?: string | null | undefined;
  /** Whether somebody named the metrics page, so that it ought to be there. */
  readonly metricsNamed?: boolean | undefined;
  /** Requests that ran on the server when all own ones had ended; null when it does not tell. */
  readonly runningAfter?: number | null | undefined;
  /** Whether somebody or something ended the run early; left out where nobody knows. */
  readonly cutShort?: boolean | undefined;
}

/** What the audit compares. */
export interface AuditInput extends AuditRules, AuditFacts {
  readonly records: Iterable<RequestRecord>;
}

/** Takes the records of a run one by one and says where it is not what it was to be. */
export class RunAudit {
  readonly #outputs: OutputAudit;
  readonly #streams = new StreamAudit();
  readonly #prompts: PromptAudit;
  readonly #server = new ServerAudit();
  #measured = 0;
  #failed = 0;
  #retried = 0;
  #retries = 0;
  readonly #cut = new CutTurns();
  #firstFailed: RequestRecord | null = null;

  constructor(rules: AuditRules) {
    this.#outputs = new OutputAudit(rules.rule);
    this.#prompts = new PromptAudit(rules);
  }

  add(record: RequestRecord): void {
    if (record.phase === "warmup") return;
    this.#measured++;
    this.#server.add(record);
    this.#cut.add(record);
    if (record.retries !== undefined) {
      this.#retried++;
      this.#retries += record.retries;
    }
    if (record.state === "failed") {
      this.#failed++;
      this.#firstFailed ??= record;
    }
    if (record.state !== "ok") return;
    this.#outputs.add(record);
    this.#streams.add(record);
    this.#prompts.add(record);
  }

  /** What the records alone show, also of a run that goes on. */
  findingsSoFar(): Finding[] {
    return [
      ...this.#outputs.findings(),
      ...this.#failures(),
      ...this.#streams.findings(),
      ...this.#prompts.findings(),
    ];
  }

  findings(facts: AuditFacts): Finding[] {
    return [
      ...this.#outputs.findings(),
      ...this.#failures(),
      ...this.#streams.findings(),
      ...auditFigures(facts.summary, facts.draftBudget, this.#cut.count, facts.cutShort),
      ...this.#server.findings(facts),
      ...this.#prompts.findings(),
    ];
  }

  #failures(): Finding[] {
    return [...this.#refusals(), ...this.#failedRequests()];
  }

  #refusals(): Finding[] {
    if (this.#retried === 0) return [];
    const message =
      `${this.#retried} of ${this.#measured} requests were refused at first and sent again, ${this.#retries} times in all: ` +
      "their latencies count from the first sending, waits included, and the load was more than the server takes";
    return [{ severity: "warning", code: "requests-retried", message }];
  }

  #failedRequests(): Finding[] {
    const first = this.#firstFailed;
    if (first === null) return [];
    const message =
      `${this.#failed} of ${this.#measured} requests failed and are in no latency and no rate; ` +
      `the first one (${first.id}, ${first.error?.kind ?? "unknown"}): ${first.error?.message ?? "no message"}`;
    return [{ severity: "warning", code: "requests-failed", message }];
  }
}

/** Disagreements between what was asked and what was seen, and broken invariants. Pure. */
export function audit(input: AuditInput): Finding[] {
  const run = new RunAudit(input);
  for (const record of input.records) run.add(record);
  return run.findings(input);
}
