import type { ResolvedStoppingRule } from "@onpar/bench-config";
import { CTXSWEEP_MINIMUM_TOKENS } from "../figures/request-figures.ts";
import type { RequestRecord } from "../record.ts";
import type { Finding } from "../result.ts";
import { Tally } from "./sample.ts";

/** Whether outputs ended as the stopping rule says, and whether their tokens were counted. Takes records that ended well. */
export class OutputAudit {
  readonly #rule: ResolvedStoppingRule;
  readonly #least: number;
  #ok = 0;
  #over = 0;
  #longest = 0;
  #early = 0;
  #earlyShort = 0;
  #under = 0;
  #atCap = 0;
  #uncounted = 0;
  #tooShort = 0;
  readonly #earlyReasons = new Tally();
  readonly #underReasons = new Tally();
  readonly #sources = new Tally();

  constructor(rule: ResolvedStoppingRule) {
    this.#rule = rule;
    const sent = rule.sent.min_tokens ?? rule.sent.minTokens;
    this.#least = typeof sent === "number" ? sent : 0;
  }

  add(record: RequestRecord): void {
    const { outputTokens: tokens, finish } = record;
    const cap = record.plannedOutputTokens ?? this.#rule.cap;
    const raw = finish.raw ?? "no finish reason";
    this.#ok++;
    this.#sources.add(record.tokenSource);
    if (tokens === null) this.#uncounted++;
    else {
      if (tokens > cap) {
        this.#over++;
        this.#longest = Math.max(this.#longest, tokens);
      }
      if (tokens < this.#least) {
        this.#under++;
        this.#underReasons.add(raw);
      }
      if (tokens === cap) this.#atCap++;
      if (tokens > 1 && tokens < CTXSWEEP_MINIMUM_TOKENS) this.#tooShort++;
    }
    const isShort = (tokens ?? cap) < cap;
    if (isShort || (finish.reason !== "length" && finish.reason !== "unknown")) {
      this.#early++;
      if (isShort) this.#earlyShort++;
      this.#earlyReasons.add(raw);
    }
  }

  findings(): Finding[] {
    return [...this.#ruleFindings(), ...this.#countFindings()];
  }

  #ruleFindings(): Finding[] {
    const { cap, name } = this.#rule;
    const of = (count: number): string => `${count} of ${this.#ok} outputs`;
    const findings: Finding[] = [];
    if (this.#over > 0) {
      const message = `${of(this.#over)} are longer than the cap of ${cap} tokens (up to ${this.#longest})`;
      findings.push({ severity: "breach", code: "cap-exceeded", message });
    }
    if (this.#under > 0) {
      const message = `${of(this.#under)} are shorter than min_tokens = ${this.#least} (${this.#underReasons.toString()})`;
      findings.push({ severity: "breach", code: "min-tokens-not-kept", message });
    }
    if (name === "ignore-eos") {
      if (this.#early > 0) {
        const how =
          this.#earlyShort === this.#early
            ? `ended before the cap of ${cap}`
            : "ended for another reason than their length";
        const message = `the server did not obey ignore_eos: ${of(this.#early)} ${how} (${this.#earlyReasons.toString()})`;
        findings.push({ severity: "breach", code: "eos-not-ignored", message });
      }
    } else if (name === "eos" && this.#ok > 0 && this.#atCap === this.#ok) {
      const message = `all ${this.#ok} outputs have the cap of ${cap} tokens: the cap decided their length, not EOS`;
      findings.push({ severity: "warning", code: "cap-decided", message });
    }
    return findings;
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
