import {
  auditRun,
  compareProtocols,
  describeAxis,
  parseSlo,
  type PartialProtocol,
  type Slo,
} from "@onpar/bench-config";
import type { RunResult } from "@onpar/sweep-runner";

import { protocolOf } from "../axes.ts";
import type { Check } from "../files/junit.ts";
import { formatNumber, formatPercent } from "../format.ts";
import { describeClient } from "../sections/client.ts";

/** What a run is held against. */
export interface GateRules {
  /** Protocol that it ought to have been taken under, with its name; null: its own. */
  readonly protocol: { readonly name: string; readonly protocol: PartialProtocol } | null;
  /** Limits as they are written: `p99(ttft)<=500ms`, `error-rate<=1%`. */
  readonly slos: readonly string[];
}

/** Judges one run: was it finished, did it stand as stated, was the client good enough, did it keep its limits. */
export function gateRun(run: RunResult, rules: GateRules): Check[] {
  return [
    finished(run),
    ...invariants(run),
    ...audited(run),
    client(run),
    ...(rules.protocol === null ? [] : protocolChecks(run, rules.protocol)),
    ...rules.slos.map((text) => sloCheck(run, text)),
    ...ownSlos(run),
  ];
}

function finished({ interrupted, summary: { counts } }: RunResult): Check {
  const { asked, ok, failed, dropped, aborted, unsent } = counts;
  const sum = ok + failed + dropped + aborted + unsent;
  return {
    name: "every request is accounted for",
    passed: !interrupted && sum === asked && ok > 0,
    message: `asked ${asked} = ok ${ok} + failed ${failed} + dropped ${dropped} + aborted ${aborted} + unsent ${unsent}${interrupted ? "; interrupted" : ""}`,
  };
}

/** Findings of the run itself: breaches fail, warnings and notes are told. */
function invariants({ findings }: RunResult): Check[] {
  const breaches = findings.filter(({ severity }) => severity === "breach");
  if (breaches.length === 0) {
    const others = findings.map(({ severity, code }) => `${severity} ${code}`);
    return [
      {
        name: "no breach among the findings",
        passed: true,
        message: others.length === 0 ? "no finding" : others.join(", "),
      },
    ];
  }
  return breaches.map(({ code, message }) => ({ name: `finding ${code}`, passed: false, message }));
}

/** What was seen against what was resolved, as far as a result holds it. */
function audited(run: RunResult): Check[] {
  const { summary, protocol } = run;
  const { acceptance, promptTokens, cachedPromptTokens, counts } = summary;
  const findings = auditRun(protocolOf(run), {
    promptTokens,
    cache:
      cachedPromptTokens === null || promptTokens === null
        ? null
        : { promptTokens: promptTokens.mean * promptTokens.n, cachedTokens: cachedPromptTokens },
    drafting:
      acceptance === null || acceptance.verifySteps === null
        ? null
        : { draftTokens: acceptance.draftTokens, verifySteps: acceptance.verifySteps },
    requests: {
      asked: counts.asked,
      ok: counts.ok,
      failed: counts.failed,
      other: counts.dropped + counts.aborted + counts.unsent,
    },
  });
  const breaches = findings.filter(({ severity }) => severity === "breach");
  if (breaches.length > 0)
    return breaches.map(({ code, message }) => ({ name: `audit ${code}`, passed: false, message }));
  const rule = protocol.stoppingRule.name;
  return [{ name: "the audit finds no breach", passed: true, message: `rule ${rule}` }];
}

function client({ summary }: RunResult): Check {
  return {
    name: "the client was not the limit",
    passed: summary.client?.clientBound !== true,
    message: describeClient(summary.client),
  };
}

/** One check per axis that the wanted protocol states. An axis that the run does not tell fails: unknown is never equal. */
function protocolChecks(run: RunResult, { name, protocol }: NonNullable<GateRules["protocol"]>): Check[] {
  const own = protocolOf(run);
  return compareProtocols(protocol, own)
    .axes.filter(({ parts }) => parts.some(({ a }) => a !== null))
    .map((axis) => {
      const stated = axis.parts.filter(({ a }) => a !== null);
      const differing = stated.filter(({ state }) => state !== "equal");
      return {
        name: `protocol ${name}: ${axis.axis}`,
        passed: differing.length === 0,
        message:
          differing.length === 0
            ? axis.b
            : `${describeAxis({ ...axis, state: "differs" })}: ${differing.map(({ part, state }) => `${part} ${state}`).join(", ")}`,
      };
    });
}

function sloCheck(run: RunResult, text: string): Check {
  const slo = parseSlo(text);
  const value = valueOf(run, slo);
  if (value === null) {
    return { name: text, passed: false, message: "the result does not tell this figure" };
  }
  const passed = slo.bound === "at-most" ? value <= slo.limit : value >= slo.limit;
  const shown = slo.metric === "error-rate" || slo.metric === "goodput" || slo.metric === "acceptance-rate";
  return { name: text, passed, message: `is ${shown ? formatPercent(value) : formatNumber(value)}` };
}

/** Limits that were judged while the run was measured, request by request. */
function ownSlos({ summary: { goodput } }: RunResult): Check[] {
  return (goodput?.slos ?? []).map(({ slo, scope, met, of, unknown, value }) => ({
    name: `${slo} (of the run's own configuration)`,
    passed: met === of,
    message:
      scope === "run"
        ? `is ${value === null ? "unknown" : formatNumber(value)}`
        : `${met} of ${of} requests${unknown > 0 ? `, ${unknown} do not tell` : ""}`,
  }));
}

const DISTRIBUTIONS = {
  ttft: (run: RunResult) => run.summary.latency.ttftMs,
  ttfa: (run: RunResult) => run.summary.latency.firstAnswerMs,
  tpot: (run: RunResult) => run.summary.latency.tpotMs,
  itl: (run: RunResult) => run.summary.latency.itlChunkMs,
  e2el: (run: RunResult) => run.summary.latency.e2elMs,
  queue: (run: RunResult) => run.summary.latency.queueMs,
  "ttft-scheduled": (run: RunResult) => run.summary.latency.ttftFromScheduleMs,
  "e2el-scheduled": (run: RunResult) => run.summary.latency.e2elFromScheduleMs,
  decode: (run: RunResult) => run.summary.rates.decodeVllm,
} as const;

/**
 * A limit of each request is judged on the request that is farthest off, which the result holds as smallest or largest value;
 * percentiles that it does not hold are unknown.
 */
function valueOf(run: RunResult, { metric, statistic, bound }: Slo): number | null {
  const { summary } = run;
  const { rates, acceptance } = summary;
  switch (metric) {
    case "error-rate":
      return summary.errorRate;
    case "goodput":
      return summary.goodput?.share ?? null;
    case "requests-per-s":
      return rates.requestsPerS;
    case "output-tokens-per-s":
      return rates.outputTokensPerS;
    case "total-tokens-per-s":
      return rates.totalTokensPerS;
    case "acceptance-rate":
      return acceptance?.rate ?? null;
    case "acceptance-length":
      return acceptance?.meanAcceptanceLength ?? null;
    default: {
      const values = DISTRIBUTIONS[metric](run);
      if (values === null) return null;
      if (statistic === null) return bound === "at-most" ? values.max : values.min;
      if (statistic === "mean") return values.mean;
      return (
        new Map([
          [0, values.min],
          [0.5, values.p50],
          [0.9, values.p90],
          [0.95, values.p95],
          [0.99, values.p99],
          [1, values.max],
        ]).get(statistic) ?? null
      );
    }
  }
}
