import type { ResolvedStoppingRule } from "@onpar/bench-config";
import { checkSpecDecodeInvariants, type MetricsDelta } from "@onpar/metrics-client";
import { carriesTokens, chunkMarks } from "../records/chunk-series.ts";
import { e2elMs, ttftMs } from "../figures/request-figures.ts";
import type { RequestRecord } from "../record.ts";
import { auditServerCounters } from "./audit-server.ts";
import type { AcceptanceSummary, Finding, RunSummary } from "../result.ts";

/** What the audit compares. */
export interface AuditInput {
  readonly records: readonly RequestRecord[];
  readonly summary: RunSummary;
  readonly rule: ResolvedStoppingRule;
  readonly draftBudget: number | null;
  /** Counters of the server over the measured phase; null without a metrics page. */
  readonly metrics: MetricsDelta | null;
  /** Why the metrics page could not be read; null when it could, and in process. */
  readonly metricsProblem?: string | null;
  /** Whether somebody named the metrics page, so that it ought to be there. */
  readonly metricsNamed?: boolean;
  /** Requests that ran on the server when all own ones had ended; null when it does not tell. */
  readonly runningAfter?: number | null;
  /** Tokens of prompt texts by prompt id, where they were counted before a template was applied. */
  readonly promptTextTokens?: ReadonlyMap<string, number>;
}

/** Share of prompt tokens from the prefix cache above which TTFT is no longer that of a cold prompt. */
const CACHE_SHARE_LIMIT = 0.1;
/** Fewest chunks of an answer that can be called a burst. */
const BURST_CHUNKS = 4;
/** Most of the whole time that a burst takes. Alone it would also find short answers to long prompts. */
const BURST_SHARE = 0.01;
/** Longest mean gap between the chunks of a burst, ms: a decode step of a served model takes longer. */
const BURST_GAP_MS = 1;

/** Disagreements between what was asked and what was seen, and broken invariants. Pure. */
export function audit(input: AuditInput): Finding[] {
  const measured = input.records.filter((record) => record.phase === "measure");
  const ok = measured.filter((record) => record.state === "ok");
  return [
    ...auditStoppingRule(ok, input.rule),
    ...auditFailures(measured),
    ...auditTokenCounts(ok),
    ...auditStreams(ok),
    ...auditTimes(ok),
    ...auditCounts(input.summary),
    ...auditAcceptance(input.summary, input.draftBudget),
    ...auditServerCounters({ ...input, measured }),
    ...auditPrefixCache(ok),
    ...auditPromptTokens(ok, input.promptTextTokens ?? new Map()),
  ];
}

function auditStoppingRule(ok: readonly RequestRecord[], rule: ResolvedStoppingRule): Finding[] {
  const known = ok.filter((record) => record.outputTokens !== null);
  const over = known.filter((record) => (record.outputTokens ?? 0) > rule.cap);
  const findings: Finding[] = [];
  if (over.length > 0) {
    const most = over.reduce((longest, record) => Math.max(longest, record.outputTokens ?? 0), 0);
    const message = `${over.length} of ${ok.length} outputs are longer than the cap of ${rule.cap} tokens (up to ${most})`;
    findings.push({ severity: "breach", code: "cap-exceeded", message });
  }
  const sent = rule.sent.min_tokens ?? rule.sent.minTokens;
  const least = typeof sent === "number" ? sent : 0;
  const under = known.filter((record) => (record.outputTokens ?? 0) < least);
  if (under.length > 0) {
    const message = `${under.length} of ${ok.length} outputs are shorter than min_tokens = ${least} (${finishWords(under)})`;
    findings.push({ severity: "breach", code: "min-tokens-not-kept", message });
  }
  if (rule.name === "ignore-eos") {
    const early = ok.filter((record) => endedEarly(record, rule.cap));
    if (early.length > 0) {
      const short = early.every((record) => (record.outputTokens ?? 0) < rule.cap);
      const how = short
        ? `ended before the cap of ${rule.cap}`
        : "ended for another reason than their length";
      const message = `the server did not obey ignore_eos: ${early.length} of ${ok.length} outputs ${how} (${finishWords(early)})`;
      findings.push({ severity: "breach", code: "eos-not-ignored", message });
    }
  } else if (ok.length > 0 && ok.every((record) => record.outputTokens === rule.cap)) {
    const message = `all ${ok.length} outputs have the cap of ${rule.cap} tokens: the cap decided their length, not EOS`;
    findings.push({ severity: "warning", code: "cap-decided", message });
  }
  return findings;
}

/** Under ignored EOS an output that is short, or that ended for another reason than its length. */
function endedEarly(record: RequestRecord, cap: number): boolean {
  const { reason } = record.finish;
  return (record.outputTokens ?? cap) < cap || (reason !== "length" && reason !== "unknown");
}

function finishWords(records: readonly RequestRecord[]): string {
  const counts = new Map<string, number>();
  for (const { finish } of records) {
    const name = finish.raw ?? "no finish reason";
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => `${name}: ${count}`).join(", ");
}

function auditFailures(measured: readonly RequestRecord[]): Finding[] {
  const failed = measured.filter((record) => record.state === "failed");
  const first = failed[0];
  if (first === undefined) return [];
  const message =
    `${failed.length} of ${measured.length} requests failed and are in no latency and no rate; ` +
    `the first one (${first.id}, ${first.error?.kind ?? "unknown"}): ${first.error?.message ?? "no message"}`;
  return [{ severity: "warning", code: "requests-failed", message }];
}

function auditTokenCounts(ok: readonly RequestRecord[]): Finding[] {
  const unknown = ok.filter((record) => record.outputTokens === null).length;
  if (unknown > 0) {
    const message =
      `${unknown} of ${ok.length} answers carried no usage and no token ids: ` +
      "their output tokens are unknown, and rates over the run cannot be told";
    return [{ severity: "warning", code: "usage-missing", message }];
  }
  const sources = new Set(ok.map((record) => record.tokenSource));
  if (sources.size <= 1) return [];
  const message = `output tokens come from more than one source (${[...sources].sort().join(", ")})`;
  return [{ severity: "warning", code: "token-source-mixed", message }];
}

function auditStreams(ok: readonly RequestRecord[]): Finding[] {
  const findings: Finding[] = [];
  const over = (records: readonly RequestRecord[]): string => `${records.length} of ${ok.length} answers`;

  const unfinished = ok.filter((record) => record.finish.raw === null);
  if (unfinished.length > 0) {
    const message = `${over(unfinished)} ended without a finish reason: whether EOS or the cap ended them is unknown`;
    findings.push({ severity: "warning", code: "finish-missing", message });
  }
  const undone = ok.filter((record) => record.status !== null && !record.chunks.kinds.includes("d"));
  if (undone.length > 0) {
    findings.push({
      severity: "note",
      code: "done-missing",
      message: `${over(undone)} ended without [DONE]`,
    });
  }
  const silent = ok.filter((record) => !chunkMarks(record.chunks).some(carriesTokens));
  if (silent.length > 0) {
    const message = `${over(silent)} showed no token, so they have no time to first token; the distributions leave them out`;
    findings.push({ severity: "warning", code: "tokens-unseen", message });
  }
  const bursts = ok.filter(cameAtOnce);
  if (bursts.length > 0) {
    const message =
      `${over(bursts)} came in one burst: something between server and client holds chunks back, ` +
      "so TTFT and ITL do not describe the server";
    findings.push({ severity: "warning", code: "burst-delivery", message });
  }
  return findings;
}

function cameAtOnce(record: RequestRecord): boolean {
  const chunks = chunkMarks(record.chunks).filter(carriesTokens).length;
  const ttft = ttftMs(record);
  const e2el = e2elMs(record);
  if (chunks < BURST_CHUNKS || ttft === null || e2el === null) return false;
  return e2el - ttft <= Math.min(BURST_SHARE * e2el, BURST_GAP_MS * (chunks - 1));
}

function auditTimes(ok: readonly RequestRecord[]): Finding[] {
  const broken = ok.filter((record) => {
    const ttft = ttftMs(record);
    const e2el = e2elMs(record);
    return ttft !== null && e2el !== null && (ttft < 0 || e2el < ttft);
  });
  if (broken.length === 0) return [];
  const names = broken.slice(0, 5).map((record) => record.id);
  const message = `${broken.length} records run backwards (TTFT after E2EL or before sending): ${names.join(", ")}`;
  return [{ severity: "breach", code: "times-invalid", message }];
}

function auditCounts({ counts }: RunSummary): Finding[] {
  const { asked, ok, failed, dropped, aborted, unsent } = counts;
  if (unsent >= 0 && asked === ok + failed + dropped + aborted + unsent) return [];
  const message = `${asked} requests asked, but ${ok} ok + ${failed} failed + ${dropped} dropped + ${aborted} aborted + ${unsent} unsent`;
  return [{ severity: "breach", code: "counts-invalid", message }];
}

function auditAcceptance({ acceptance, counts }: RunSummary, draftBudget: number | null): Finding[] {
  if (acceptance === null) return [];
  const lost = counts.failed + counts.aborted;
  if (lost > 0 && acceptance.source !== "per-request") {
    const message = `the acceptance holds what ${lost} failed or aborted requests drafted, which are in no latency and no rate`;
    return [
      { severity: "warning", code: "acceptance-of-failed", message },
      ...auditAcceptanceCounts(acceptance, draftBudget),
    ];
  }
  return auditAcceptanceCounts(acceptance, draftBudget);
}

function auditAcceptanceCounts(acceptance: AcceptanceSummary, draftBudget: number | null): Finding[] {
  const broken = checkSpecDecodeInvariants(acceptance, draftBudget ?? undefined);
  if (broken.length > 0) {
    const message = `the acceptance counts (${acceptance.source}) contradict themselves: ${broken.join("; ")}`;
    return [{ severity: "breach", code: "acceptance-invalid", message }];
  }
  const { meanAcceptanceLength: counted, effectiveTokensPerStep: effective } = acceptance;
  if (counted === null || effective === null || effective >= 0.95 * counted) return [];
  const message =
    `clients got ${effective.toFixed(2)} tokens per decode step where the engine counts ${counted.toFixed(2)}: ` +
    "steps without drafts, or tokens accepted past the end of an output";
  return [{ severity: "note", code: "effective-below-counted", message }];
}

function auditPrefixCache(ok: readonly RequestRecord[]): Finding[] {
  let prompt = 0;
  let cached = 0;
  for (const { usage } of ok) {
    prompt += usage?.promptTokens ?? 0;
    cached += usage?.cachedPromptTokens ?? 0;
  }
  if (prompt === 0 || cached <= CACHE_SHARE_LIMIT * prompt) return [];
  const share = ((100 * cached) / prompt).toFixed(0);
  const message = `${share} % of the prompt tokens came from the prefix cache: TTFT is not that of cold prompts`;
  return [{ severity: "warning", code: "prefix-cache-hits", message }];
}

/** Prompt tokens that the server counts beside those of the text: template and special tokens. */
function auditPromptTokens(ok: readonly RequestRecord[], textTokens: ReadonlyMap<string, number>): Finding[] {
  const overheads: number[] = [];
  for (const { promptId, usage } of ok) {
    const text = textTokens.get(promptId);
    const counted = usage?.promptTokens ?? null;
    if (text !== undefined && counted !== null && counted !== text) overheads.push(counted - text);
  }
  if (overheads.length === 0) return [];
  const least = overheads.reduce((a, b) => Math.min(a, b));
  const most = overheads.reduce((a, b) => Math.max(a, b));
  const size = least === most ? signed(least) : `${signed(least)} to ${signed(most)}`;
  const message = `the server counts ${size} prompt tokens against the text of ${overheads.length} prompts: template and special tokens`;
  return [{ severity: "note", code: "prompt-overhead", message }];
}

function signed(value: number): string {
  return value < 0 ? String(value) : `+${value}`;
}
