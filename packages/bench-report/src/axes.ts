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
  /** What is compared; null is unknown, and so is a part of a list that is null. */
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
    // Several files may carry one name: quantisations of a model do.
    key: ({ protocol: { model, endpoint }, config }) =>
      endpoint === "engine" ? [model.resolved, fileName(config.engine.modelPath)] : model.resolved,
    words: ({ protocol: { model, endpoint }, config }) => {
      const name = model.resolved ?? "unknown";
      return endpoint === "engine" ? `${name} in ${fileName(config.engine.modelPath) ?? "unknown"}` : name;
    },
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
      template.mode === "none" ? "none" : [template.mode, template.sha256],
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
    // Servers do not tell which draft they run, and another draft of the same budget is another speculation.
    key: ({ protocol: { speculation }, config }) => {
      if (speculation.observed === false) return "off";
      if (speculation.observed === null) return null;
      return [speculation.draftBudget, fileName(config.engine.draftModelPath)];
    },
    words: ({ protocol: { speculation }, config }) => {
      if (speculation.observed === false) return "off";
      const draft = fileName(config.engine.draftModelPath) ?? "unknown draft model";
      return `draft budget ${speculation.draftBudget ?? "unknown"}, ${draft}`;
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
    key: ({ system }) => [system.engine, system.version],
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
    return { axis, state: stateOf(key(a), key(b)), a: words(a), b: words(b), decisive };
  });
}

/** Known parts that part decide, whatever is unknown beside them. */
function stateOf(a: unknown, b: unknown): AxisComparison["state"] {
  if (a === null || b === null) return "unknown";
  if (!isList(a) || !isList(b) || a.length !== b.length) return isSame(a, b) ? "equal" : "differs";
  const parts = a.map((part, index) => [part, b[index]] as const);
  const known = parts.filter(([left, right]) => left !== null && right !== null);
  if (!known.every(([left, right]) => isSame(left, right))) return "differs";
  return known.length === parts.length ? "equal" : "unknown";
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function sortedEntries(values: object): [string, unknown][] {
  return Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Folders differ from machine to machine. */
function fileName(path: string | null): string | null {
  return path?.split(/[\\/]/).at(-1) ?? null;
}
