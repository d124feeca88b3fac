import { checkSpecDecodeInvariants } from "@onpar/metrics-client";
import type { AcceptanceSummary, Distribution, Finding, RunSummary } from "../result.ts";

/** Own counts of tokens may part by this share where a server counts tokens that no chunk shows. */
const PEAK_TOLERANCE = 0.01;

/**
 * Invariants of the figures themselves. Pure.
 *
 * @param cutTurns turns of conversations that were not sent because the one before them had no answer
 * @param cutShort whether the run was ended early, so that requests may be unsent
 */
export function auditFigures(
  summary: RunSummary,
  draftBudget: number | null,
  cutTurns = 0,
  cutShort = true,
): Finding[] {
  return [
    ...auditCounts(summary, cutTurns, cutShort),
    ...auditPeak(summary),
    ...auditModes(summary),
    ...auditAcceptance(summary, draftBudget),
  ];
}

function auditCounts({ counts }: RunSummary, cutTurns: number, cutShort: boolean): Finding[] {
  const { asked, ok, failed, dropped, aborted, unsent } = counts;
  const findings: Finding[] = [];
  if (unsent < 0 || asked !== ok + failed + dropped + aborted + unsent) {
    const message = `${asked} requests asked, but ${ok} ok + ${failed} failed + ${dropped} dropped + ${aborted} aborted + ${unsent} unsent`;
    findings.push({ severity: "breach", code: "counts-invalid", message });
  } else if (unsent > 0 && !cutShort) {
    const message = `${unsent} of ${asked} requests were never sent, although nothing ended the run early`;
    findings.push({ severity: "breach", code: "counts-invalid", message });
  }
  if (cutTurns > 0) {
    const message = `${cutTurns} turns of conversations were not sent, because the turn before them had no answer`;
    findings.push({ severity: "warning", code: "turns-cut", message });
  }
  const unserved = dropped - cutTurns;
  if (unserved > 0) {
    const message = `${unserved} of ${asked} requests came due and were never sent: too many were in flight for too long; the server did not carry this load`;
    findings.push({ severity: "warning", code: "requests-dropped", message });
  }
  return findings;
}

/** The peak is counted in tokens over whole seconds, so that the mean over those seconds cannot be above it. */
function auditPeak({ rates, durationS }: RunSummary): Finding[] {
  const { peakOutputTokensPerS: peak, outputTokensPerS: mean } = rates;
  if (peak === null || mean === null || durationS < 1) return [];
  const overWholeSeconds = (mean * durationS) / Math.ceil(durationS);
  if (peak >= overWholeSeconds * (1 - PEAK_TOLERANCE)) return [];
  const message = `the peak of ${peak.toFixed(1)} output tokens/s is below the mean of ${overWholeSeconds.toFixed(1)}: chunks tell fewer tokens than the answers count`;
  return [{ severity: "breach", code: "peak-below-mean", message }];
}

function auditModes({ latency, rates }: RunSummary): Finding[] {
  const named: readonly (readonly [string, Distribution | null])[] = [
    ["TTFT", latency.ttftMs],
    ["TPOT", latency.tpotMs],
    ["E2EL", latency.e2elMs],
    ["decode rate", rates.decodeCtxsweep],
  ];
  const several = named.filter(([, values]) => values?.modality?.multimodal === true).map(([name]) => name);
  if (several.length === 0) return [];
  const message = `${several.join(", ")} gather around more than one value (dip test, p < 0.01): one median does not describe them`;
  return [{ severity: "note", code: "multimodal", message }];
}

function auditAcceptance({ acceptance, counts }: RunSummary, draftBudget: number | null): Finding[] {
  if (acceptance === null) return [];
  const lost = counts.failed + counts.aborted;
  const own = auditAcceptanceCounts(acceptance, draftBudget);
  if (lost === 0 || acceptance.source === "per-request") return own;
  const message = `the acceptance holds what ${lost} failed or aborted requests drafted, which are in no latency and no rate`;
  return [{ severity: "warning", code: "acceptance-of-failed", message }, ...own];
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
