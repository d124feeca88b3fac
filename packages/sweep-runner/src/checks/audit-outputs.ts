import { StoppingRuleAudit, type ResolvedStoppingRule } from "@onpar/bench-config";
import { CTXSWEEP_MINIMUM_TOKENS } from "../figures/request-figures.ts";
import type { RequestRecord } from "../record.ts";
import type { Finding } from "../result.ts";
import { Tally } from "./sample.ts";

/** Whether outputs ended as the stopping rule says, and whether their tokens were counted. Takes records that ended well. */
export class OutputAudit {
  readonly #rule: StoppingRuleAudit;
  #ok = 0;
  #uncounted = 0;
  #tooShort = 0;
  readonly #sources = new Tally();

  constructor(rule: ResolvedStoppingRule) {
    this.#rule = new StoppingRuleAudit(rule);
  }

  add(record: RequestRecord): void {
    const { outputTokens: tokens, finish } = record;
    this.#rule.add({ outputTokens: tokens, finish, cap: record.plannedOutputTokens });
    this.#ok++;
    this.#sources.add(record.tokenSource);
    if (tokens === null) this.#uncounted++;
    else if (tokens > 1 && tokens < CTXSWEEP_MINIMUM_TOKENS) this.#tooShort++;
  }

  findings(): Finding[] {
    return [...this.#rule.findings(), ...this.#countFindings()];
  }

  #countFindings(): Finding[] {
    const findings: Finding[] = [];
    if (this.#uncounted > 0) {
      const message =
        `${this.#uncounted} of ${this.#ok} answers carried no usage and no token ids: ` +
        "their output tokens are unknown, and rates over the run cannot be told";
      findings.push({ severity: "warning", code: "usage-missing", message });
    } else if (this.#sources.names.length > 1) {
      const message = `output tokens come from more than one source (${this.#sources.names.sort().join(", ")})`;
      findings.push({ severity: "warning", code: "token-source-mixed", message });
    }
    if (this.#tooShort > 0) {
      const message =
        `${this.#tooShort} of ${this.#ok} outputs have fewer than ${CTXSWEEP_MINIMUM_TOKENS} tokens: ` +
        "the ctxsweep convention drops their decode rate";
      findings.push({ severity: "note", code: "short-outputs-dropped", message });
    }
    return findings;
  }
}
