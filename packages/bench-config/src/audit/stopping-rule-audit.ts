import type { PartialProtocol } from "../protocol.ts";
import type { AuditFinding } from "./finding.ts";

/** How one output ended. */
export interface OutputObservation {
  /** Null where nobody counted them. */
  readonly outputTokens: number | null;
  readonly finish: {
    /** As the server wrote it; null where it gave none. */
    readonly raw: string | null;
    /** `length` at the cap, `stop` at EOS or a stop text, `unknown`, or another word. */
    readonly reason: string;
  };
  /** The cap of this request, where requests have caps of their own. */
  readonly cap?: number | null;
}

/** Whether outputs ended as the stopping rule says. Takes those of requests that ended well, one by one. */
export class StoppingRuleAudit {
  readonly #rule: NonNullable<PartialProtocol["stoppingRule"]>;
  readonly #least: number;
  #ok = 0;
  #over = 0;
  #longest = 0;
  #early = 0;
  #short = 0;
  #under = 0;
  #atCap = 0;
  readonly #earlyReasons = new Map<string, number>();
  readonly #underReasons = new Map<string, number>();

  constructor(rule: NonNullable<PartialProtocol["stoppingRule"]>) {
    this.#rule = rule;
    const sent = rule.sent?.["min_tokens"] ?? rule.sent?.["minTokens"];
    this.#least = typeof sent === "number" ? sent : rule.name === "fixed" ? (rule.cap ?? 0) : 0;
  }

  /** Outputs that were added. */
  get count(): number {
    return this.#ok;
  }

  add({ outputTokens: tokens, finish, cap: own }: OutputObservation): void {
    const cap = own ?? this.#rule.cap ?? Number.POSITIVE_INFINITY;
    const raw = finish.raw ?? "no finish reason";
    this.#ok += 1;
    if (tokens !== null && tokens > cap) {
      this.#over += 1;
      this.#longest = Math.max(this.#longest, tokens);
    }
    if (tokens !== null && tokens < this.#least) {
      this.#under += 1;
      count(this.#underReasons, raw);
    }
    if (tokens === cap) {
      this.#atCap += 1;
    }
    const isShort = (tokens ?? cap) < cap;
    if (isShort || (finish.reason !== "length" && finish.reason !== "unknown")) {
      this.#early += 1;
      this.#short += isShort ? 1 : 0;
      count(this.#earlyReasons, raw);
    }
  }

  findings(): AuditFinding[] {
    const { name, cap } = this.#rule;
    const of = (some: number): string => `${some} of ${this.#ok} outputs`;
    const findings: AuditFinding[] = [];
    if (this.#over > 0) {
      const message = `${of(this.#over)} are longer than the cap of ${cap} tokens (up to ${this.#longest})`;
      findings.push({ severity: "breach", code: "cap-exceeded", message });
    }
    if (this.#under > 0) {
      const message = `${of(this.#under)} are shorter than min_tokens = ${this.#least} (${inWords(this.#underReasons)})`;
      findings.push({ severity: "breach", code: "min-tokens-not-kept", message });
    }
    if (name === "ignore-eos" && this.#early > 0) {
      const how =
        this.#short === this.#early
          ? `ended before the cap of ${cap}`
          : "ended for another reason than their length";
      const message = `the server did not obey ignore_eos: ${of(this.#early)} ${how} (${inWords(this.#earlyReasons)})`;
      findings.push({ severity: "breach", code: "eos-not-ignored", message });
    }
    if (name === "eos" && this.#ok > 0 && this.#atCap === this.#ok) {
      const message = `all ${this.#ok} outputs have the cap of ${cap} tokens: the cap decided their length, not EOS`;
      findings.push({ severity: "warning", code: "cap-decided", message });
    }
    return findings;
  }
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function inWords(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([name, times]) => `${name}: ${times}`).join(", ");
}
