import { OwnAcceptance } from "./acceptance-source.ts";
import { RunAudit, type AuditRules } from "./checks/audit.ts";
import { RunFigures } from "./figures/run-figures.ts";
import type { RequestRecord } from "./record.ts";

/**
 * What a run keeps of its records: each goes to the journal and is forgotten, so that memory grows by 100 bytes a request and not
 * with what was answered.
 */
export class RunTally {
  readonly figures = new RunFigures();
  readonly audit: RunAudit;
  readonly acceptance = new OwnAcceptance();
  /** Warm-up requests that the server answered with status 200. */
  warmupAnswered = 0;
  warmupFailed = 0;
  firstWarmupError: string | null = null;

  constructor(rules: AuditRules) {
    this.audit = new RunAudit(rules);
  }

  /** Records of the measured phase. */
  get measured(): number {
    return this.figures.table.length;
  }

  get ok(): number {
    return this.figures.counts(0).ok;
  }

  get aborted(): number {
    return this.figures.counts(0).aborted;
  }

  add(record: RequestRecord): void {
    this.figures.add(record);
    this.audit.add(record);
    if (record.phase === "measure") return this.acceptance.add(record);
    if (record.status === 200) this.warmupAnswered++;
    if (record.state !== "failed") return;
    this.warmupFailed++;
    this.firstWarmupError ??= record.error?.message ?? null;
  }
}
