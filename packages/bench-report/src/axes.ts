import type { RunResult } from "@onpar/sweep-runner";

import { shortHash } from "./format.ts";
import { describeKwargs, describeSampling } from "./sections/protocol.ts";
import { describeRule } from "./stopping-rule.ts";

/** One axis of the protocol over two runs. */
export interface AxisComparison {
  readonly axis: string;
  readonly state: "equal" | "differs" | "unknown";
  /** In words, for people. */
  readonly a: string;
  readonly b: string;
  /** Where a difference makes the two runs not comparable. */
  readonly decisive: boolean;
}

interface AxisDefinition {
  readonly axis: string;
  readonly decisive?: true;
  /** What is compared; null is unknown. */
  readonly key: (result: RunResult) => unknown;
  readonly words: (result: RunResult) => string;
}

/** Every axis of a protocol, also those that a result does not record: unknown is a state of its own. */
const AXES: readonly AxisDefinition[] = [
  {
    axis: "stopping rule",
    decisive: true,
    key: ({ protocol: { stoppingRule } }) => [stoppingRule.name, stoppingRule.cap, stoppingRule.stop],
    words: ({ protocol }) => describeRule(protocol.stoppingRule),
  },
  {
    axis: "model",
    decisive: true,
    key: ({ protocol }) => protocol.model.resolved,
    words: ({ protocol }) => protocol.model.resolved ?? "unknown",
  },
  {
    axis: "workload",
    decisive: true,
    key: ({ protocol }) => protocol.workload.sha256,
    words: ({ protocol: { workload } }) =>
      `${workload.source}, ${workload.prompts} prompts, sha256 ${shortHash(workload.sha256)}`,
  },
  {
    axis: "endpoint",
    decisive: true,
    key: ({ protocol }) => protocol.endpoint,
    words: ({ protocol }) => protocol.endpoint,
  },
  {
    axis: "template",
    // Two servers' own templates may differ however equal the requests were.
    key: ({ protocol: { template } }) =>
      template.mode !== "none" && template.sha256 === null ? null : [template.mode, template.sha256],
    words: ({ protocol: { template } }) =>
      template.sha256 === null ? template.mode : `${template.mode}, sha256 ${shortHash(template.sha256)}`,
  },
  {
    axis: "template kwargs",
    key: ({ protocol: { template } }) =>
      template.mode === "none" ? "not used" : sortedEntries(template.kwargs),
    words: ({ protocol }) => describeKwargs(protocol.template),
  },
  {
    axis: "sampling",
    key: ({ protocol }) => sortedEntries(protocol.sampling),
    words: ({ protocol }) => describeSampling(protocol.sampling),
  },
  {
    axis: "load",
    key: ({ protocol: { load } }) => [load.kind, load.concurrency, load.warmupRequests],
    words: ({ protocol: { load } }) => `closed loop at ${load.concurrency}, ${load.warmupRequests} warm-up`,
  },
  {
    axis: "speculation",
    key: ({ protocol: { speculation } }) => {
      if (speculation.observed === false) return "off";
      return speculation.observed === null || speculation.draftBudget === null
        ? null
        : speculation.draftBudget;
    },
    words: ({ protocol: { speculation } }) => {
      if (speculation.observed === false) return "off";
      return speculation.draftBudget === null
        ? "unknown draft budget"
        : `draft budget ${speculation.draftBudget}`;
    },
  },
  {
    axis: "cache state",
    key: ({ summary }) => summary.cachedPromptTokens,
    words: ({ summary }) =>
      summary.cachedPromptTokens === null
        ? "unknown"
        : `${summary.cachedPromptTokens} prompt tokens from cache`,
  },
  {
    axis: "counting",
    key: ({ summary }) => (summary.outputs.tokenSource === "unknown" ? null : summary.outputs.tokenSource),
    words: ({ summary }) => `tokens counted by ${summary.outputs.tokenSource}`,
  },
  {
    axis: "engine",
    key: ({ system }) =>
      system.engine === null || system.version === null ? null : [system.engine, system.version],
    words: ({ system }) => `${system.engine ?? "unknown"} ${system.version ?? "(version unknown)"}`,
  },
  {
    axis: "requests answered",
    // Two runs that each lost some lost different ones.
    key: ({ startedAt, summary: { counts } }) =>
      counts.ok === counts.asked ? "all" : [startedAt, counts.ok],
    words: ({ summary: { counts } }) => `${counts.ok} of ${counts.asked}`,
  },
  { axis: "tokenizer", key: () => null, words: () => "unknown" },
  { axis: "hardware", key: () => null, words: () => "unknown" },
];

export function compareAxes(a: RunResult, b: RunResult): AxisComparison[] {
  return AXES.map(({ axis, decisive = false, key, words }) => {
    const [left, right] = [key(a), key(b)];
    const state =
      left === null || right === null
        ? "unknown"
        : JSON.stringify(left) === JSON.stringify(right)
          ? "equal"
          : "differs";
    return { axis, state, a: words(a), b: words(b), decisive };
  });
}

function sortedEntries(values: object): [string, unknown][] {
  return Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
}
