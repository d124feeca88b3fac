/** Something that was seen and is not as the protocol states it. */
export interface AuditFinding {
  /**
   * `breach`: the run is not the one that was stated. `warning`: it is, and its figures need the remark. `note`: worth
   * knowing, such as what could not be seen.
   */
  readonly severity: "breach" | "warning" | "note";
  /** Stable, for example `eos-not-ignored`. */
  readonly code: AuditCode;
  readonly message: string;
}

/** Every finding that the audit can make, with what it says. */
export const auditCodes = {
  "cap-exceeded": "outputs are longer than the cap",
  "min-tokens-not-kept": "outputs are shorter than the least length that was asked for",
  "eos-not-ignored": "EOS was to be ignored, and outputs ended before the cap or for another reason",
  "cap-decided": "EOS was honoured, and every output has exactly the cap",
  "endpoint-differs": "requests went to another endpoint",
  "prompt-length-differs": "prompts are not as long as they were to be",
  "template-not-applied":
    "a chat template was to be applied, and the server counts no more tokens than the text has",
  "template-applied":
    "prompts were to be sent as they are, and the server counts more tokens than the text has",
  "concurrency-not-reached": "fewer requests were in flight than the closed loop was to keep",
  "concurrency-exceeded": "more requests were in flight than the load allows",
  "rate-not-reached": "requests were sent more slowly than asked for",
  "rate-exceeded": "requests were sent faster than asked for",
  "cache-not-cold": "the prefix cache served prompts that it was not to know",
  "drafting-unseen": "speculation is stated, and the server drafted nothing",
  "drafting-undeclared": "speculation is stated to be off, and the server drafted",
  "draft-budget-exceeded": "more was drafted per step than the stated budget",
  "requests-unaccounted": "the requests that were asked for are not those that ended or stayed unsent",
  "not-observed": "parts of the protocol that nothing was seen of",
} as const;

export type AuditCode = keyof typeof auditCodes;
