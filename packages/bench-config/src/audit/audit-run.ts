import { ADAPTIVE } from "../declared.ts";
import type { LengthSpread, PartialProtocol } from "../protocol.ts";
import type { AuditFinding } from "./finding.ts";
import { StoppingRuleAudit } from "./stopping-rule-audit.ts";
import type { OutputObservation } from "./stopping-rule-audit.ts";

/** What was seen of a run, whoever ran it. What is missing or null was not seen. */
export interface RunObservations {
  /** Outputs of the requests that ended well; read once. */
  readonly outputs?: Iterable<OutputObservation> | null;
  /** Requests by the endpoint that they went to, as the request log has it: `completions` or `/v1/completions`. */
  readonly endpoints?: Readonly<Record<string, number>> | null;
  /** Tokens of the prompts as the server counted them. */
  readonly promptTokens?: LengthSpread | null;
  /** Tokens that the server counts beyond those of the prompt's text: template and special tokens. */
  readonly promptOverhead?: { readonly min: number; readonly max: number } | null;
  /** Most requests in flight at once. */
  readonly peakConcurrency?: number | null;
  /** Requests that were sent, per second of the time in which they were sent. */
  readonly sentPerS?: number | null;
  /** Prompt tokens in all, and those of them from the prefix cache. */
  readonly cache?: { readonly promptTokens: number; readonly cachedTokens: number } | null;
  /** Counts of the speculation: drafted tokens and verify steps. */
  readonly drafting?: { readonly draftTokens: number; readonly verifySteps: number } | null;
  readonly requests?: {
    readonly asked: number;
    readonly ok: number;
    readonly failed: number;
    /** Aborted, dropped or never sent. */
    readonly other: number;
  } | null;
}

/** Prompt tokens may be off by this many, or by this share of the length, as the comparator calibrates them. */
const LENGTH_TOLERANCE = { tokens: 8, share: 0.01 };
/** BOS and its like: more than these cannot be told from a template. */
const SPECIAL_TOKENS = 2;
/** Share of the asked rate that may be missing or too much, beside the chance of random arrivals. */
const RATE_TOLERANCE = 0.05;
/** Share of prompt tokens from the cache above which TTFT is no longer that of a cold prompt. */
const CACHE_SHARE = 0.1;

const paths: Readonly<Record<string, string>> = {
  "/v1/chat/completions": "chat-completions",
  "/v1/completions": "completions",
  "/v1/responses": "responses",
  "/completion": "llama-completion",
  "/generate": "sglang-generate",
  "/api/chat": "ollama-chat",
};

function auditEndpoint({ endpoint }: PartialProtocol, { endpoints }: RunObservations): AuditFinding[] {
  if (endpoint == null || endpoints == null) {
    return [];
  }
  const others = Object.entries(endpoints).filter(
    ([seen, times]) => times > 0 && (paths[seen] ?? seen) !== endpoint,
  );
  if (others.length === 0) {
    return [];
  }
  const seen = others.map(([name, times]) => `${times} to ${name}`).join(", ");
  return [
    {
      severity: "breach",
      code: "endpoint-differs",
      message: `requests were to go to ${endpoint}, and went ${seen}`,
    },
  ];
}

function spreadInWords({ min, p50, max }: LengthSpread): string {
  return min === max ? String(min) : `${min}/${p50}/${max} (min/p50/max)`;
}

function auditPrompts({ workload, template }: PartialProtocol, seen: RunObservations): AuditFinding[] {
  const asked = workload?.promptTokens?.p50;
  const counted = seen.promptTokens;
  if (asked == null || counted == null) {
    return [];
  }
  // A template adds to the text; how much is the template's affair.
  const overhead =
    seen.promptOverhead?.max ?? (template?.mode === "none" ? SPECIAL_TOKENS : Number.POSITIVE_INFINITY);
  const tolerance = Math.max(LENGTH_TOLERANCE.tokens, LENGTH_TOLERANCE.share * asked);
  if (counted.p50 >= asked - tolerance && counted.p50 <= asked + tolerance + overhead) {
    return [];
  }
  const message = `prompts of ${asked} tokens were asked for, and the server counts ${spreadInWords(counted)}`;
  return [{ severity: "breach", code: "prompt-length-differs", message }];
}

function auditTemplate({ template }: PartialProtocol, { promptOverhead }: RunObservations): AuditFinding[] {
  if (template?.mode == null || promptOverhead == null) {
    return [];
  }
  const { min, max } = promptOverhead;
  if (template.mode === "none" && max > SPECIAL_TOKENS) {
    const message = `prompts were to be sent as they are, and the server counts up to ${max} tokens beyond their text`;
    return [{ severity: "breach", code: "template-applied", message }];
  }
  if (template.mode !== "none" && min <= SPECIAL_TOKENS) {
    const message = `a chat template was to be applied (${template.mode}), and the server counts only ${min} tokens beyond the text`;
    return [{ severity: "breach", code: "template-not-applied", message }];
  }
  return [];
}

function auditConcurrency({ load, workload }: PartialProtocol, seen: RunObservations): AuditFinding[] {
  const peak = seen.peakConcurrency;
  if (load?.kind == null || peak == null) {
    return [];
  }
  const limit = load.kind === "closed-loop" ? load.concurrency : load.maxInFlight;
  if (typeof limit === "number" && peak > limit) {
    const message = `at most ${limit} requests were to be in flight, and ${peak} were`;
    return [{ severity: "breach", code: "concurrency-exceeded", message }];
  }
  const reachable = Math.min(
    load.concurrency ?? 0,
    seen.requests?.asked ?? workload?.prompts ?? Number.POSITIVE_INFINITY,
  );
  if (load.kind === "closed-loop" && peak < reachable) {
    const message = `${reachable} requests were to be in flight, and at most ${peak} were`;
    return [{ severity: "warning", code: "concurrency-not-reached", message }];
  }
  return [];
}

const rated = new Set(["constant", "poisson", "gamma"]);

function auditRate({ load }: PartialProtocol, { sentPerS, requests }: RunObservations): AuditFinding[] {
  if (load?.kind == null || !rated.has(load.kind) || load.rate == null || sentPerS == null) {
    return [];
  }
  // The mean of n random gaps is off by about 1/sqrt(n); three times that is no accident. Bursts widen it.
  const spread =
    load.kind === "constant" ? 0 : 3 / Math.sqrt((requests?.asked ?? 100) * (load.burstiness ?? 1));
  const tolerance = Math.max(RATE_TOLERANCE, spread);
  const share = sentPerS / load.rate;
  const words = `${load.rate} requests/s were asked for, and ${Number(sentPerS.toPrecision(4))} were sent`;
  if (share < 1 - tolerance) {
    return [{ severity: "warning", code: "rate-not-reached", message: words }];
  }
  return share > 1 + tolerance ? [{ severity: "breach", code: "rate-exceeded", message: words }] : [];
}

function auditCache({ cache }: PartialProtocol, { cache: seen }: RunObservations): AuditFinding[] {
  if ((cache?.policy !== "nonce" && cache?.policy !== "reset") || seen == null || seen.promptTokens === 0) {
    return [];
  }
  const share = seen.cachedTokens / seen.promptTokens;
  if (share <= CACHE_SHARE) {
    return [];
  }
  const message = `${(100 * share).toFixed(0)} % of the prompt tokens came from the prefix cache, in spite of the policy ${cache.policy}`;
  return [{ severity: "warning", code: "cache-not-cold", message }];
}

function auditSpeculation({ speculation }: PartialProtocol, { drafting }: RunObservations): AuditFinding[] {
  if (speculation?.method == null || drafting == null) {
    return [];
  }
  const { draftTokens, verifySteps } = drafting;
  if (speculation.method === "off") {
    const message = `speculation was to be off, and ${draftTokens} tokens were drafted`;
    return draftTokens > 0 ? [{ severity: "breach", code: "drafting-undeclared", message }] : [];
  }
  if (draftTokens === 0) {
    if (speculation.method.startsWith(ADAPTIVE)) return [];
    const message = `speculation is stated (${speculation.method}), and nothing was drafted`;
    return [{ severity: "breach", code: "drafting-unseen", message }];
  }
  const budget = speculation.draftBudget;
  if (budget == null || draftTokens <= budget * verifySteps) {
    return [];
  }
  const message = `${draftTokens} tokens were drafted in ${verifySteps} steps, more than the stated budget of ${budget} a step`;
  return [{ severity: "breach", code: "draft-budget-exceeded", message }];
}

function auditRequests({ requests }: RunObservations): AuditFinding[] {
  if (requests == null) {
    return [];
  }
  const { asked, ok, failed, other } = requests;
  if (asked === ok + failed + other) {
    return [];
  }
  const message = `${asked} requests were asked for, but ${ok} ended well, ${failed} failed, and ${other} were dropped, aborted or unsent`;
  return [{ severity: "breach", code: "requests-unaccounted", message }];
}

function auditStoppingRule({ stoppingRule }: PartialProtocol, { outputs }: RunObservations): AuditFinding[] {
  if (stoppingRule == null || outputs == null) {
    return [];
  }
  const audit = new StoppingRuleAudit(stoppingRule);
  for (const output of outputs) {
    audit.add(output);
  }
  return audit.findings();
}

/** What the protocol states and nothing was seen of: it stands as it was said, not as it was shown. */
function unseen(protocol: PartialProtocol, seen: RunObservations): AuditFinding[] {
  const { load, speculation, workload } = protocol;
  const missing = [
    ...(protocol.stoppingRule != null && seen.outputs == null ? ["stopping rule"] : []),
    ...(protocol.endpoint != null && seen.endpoints == null ? ["endpoint"] : []),
    ...(workload?.promptTokens != null && seen.promptTokens == null ? ["prompt lengths"] : []),
    ...(protocol.template?.mode != null && seen.promptOverhead == null ? ["template"] : []),
    ...(load?.kind === "closed-loop" && seen.peakConcurrency == null ? ["concurrency"] : []),
    ...(load?.kind != null && rated.has(load.kind) && seen.sentPerS == null ? ["rate"] : []),
    ...(speculation?.method != null && seen.drafting == null ? ["speculation"] : []),
  ];
  return missing.length === 0
    ? []
    : [
        {
          severity: "note",
          code: "not-observed",
          message: `stated, and not shown by anything that was seen: ${missing.join(", ")}`,
        },
      ];
}

/**
 * Lays what was seen of a run beside the protocol that it states: stopping rule, lengths, endpoint, the template's effect,
 * concurrency, rate, cache, speculation and counts. What the protocol leaves unknown is not judged; what it states and
 * nothing was seen of is one note. Pure, and the same for own runs and for those of others.
 */
export function auditRun(protocol: PartialProtocol, observations: RunObservations): AuditFinding[] {
  return [
    ...auditStoppingRule(protocol, observations),
    ...auditEndpoint(protocol, observations),
    ...auditPrompts(protocol, observations),
    ...auditTemplate(protocol, observations),
    ...auditConcurrency(protocol, observations),
    ...auditRate(protocol, observations),
    ...auditCache(protocol, observations),
    ...auditSpeculation(protocol, observations),
    ...auditRequests(observations),
    ...unseen(protocol, observations),
  ];
}
