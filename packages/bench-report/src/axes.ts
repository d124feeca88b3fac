import {
  compareProtocols,
  declaredProtocol,
  type AxisState,
  type ComparedAxis,
  type PartialProtocol,
} from "@onpar/bench-config";
import type { HostFacts, RunResult } from "@onpar/sweep-runner";

import { cacheState } from "./sections/cache.ts";

/** One axis over two runs: those of the protocol, and what the run made of it. */
export type AxisComparison = ComparedAxis;

/**
 * The protocol of a run with everything that its result says: what was resolved and observed, and else what its
 * configuration states. A part that neither tells is unknown.
 */
export function protocolOf({ config, protocol, summary, system, host }: RunResult): PartialProtocol {
  const stated = declaredProtocol(config);
  const { lengths, tokenSource } = summary.outputs;
  const cached = summary.cachedPromptTokens;
  return {
    ...stated,
    ...protocol,
    model: { ...stated.model, ...protocol.model },
    workload: {
      ...stated.workload,
      ...protocol.workload,
      promptTokens: protocol.workload.promptTokens ?? summary.promptTokens,
    },
    load: { ...stated.load, ...protocol.load },
    cache: {
      policy: config.cache.policy,
      state: cacheState(summary),
      cachedTokens: cached,
    },
    speculation: { ...stated.speculation, ...protocol.speculation },
    counting: {
      tokenSource: tokenSource === "unknown" ? null : tokenSource,
      rateConventions: ["ctxsweep", "vllm"],
    },
    engine:
      system.engine === null ? (stated.engine ?? null) : { name: system.engine, version: system.version },
    hardware: {
      device: config.declared.hardware,
      clientHost: host === undefined ? null : describeHost(host),
    },
    outputTokens: lengths,
  };
}

/** A client's machine as far as it can be told from another one: `linux x64, 8 x Some CPU, 32 GiB`. */
export function describeHost({ platform, arch, cpus, cpuModel, memoryBytes }: HostFacts): string {
  return `${platform} ${arch}, ${cpus} x ${cpuModel ?? "unknown CPU"}, ${Math.round(memoryBytes / 2 ** 30)} GiB`;
}

/** Every axis of two runs: those of their protocols, and whether all of their requests were answered. */
export function compareAxes(a: RunResult, b: RunResult): AxisComparison[] {
  const answered = {
    axis: "requests answered",
    state: answeredState(a, b),
    a: answeredWords(a),
    b: answeredWords(b),
    decisive: false,
  };
  return [...compareProtocols(protocolOf(a), protocolOf(b)).axes, answered];
}

/** Two runs that each lost some lost different ones. */
function answeredState(a: RunResult, b: RunResult): AxisState {
  const isWhole = ({ summary: { counts } }: RunResult) => counts.ok === counts.asked;
  const isSameRun = a.startedAt === b.startedAt && a.summary.counts.ok === b.summary.counts.ok;
  return (isWhole(a) && isWhole(b)) || (isSameRun && isWhole(a) === isWhole(b)) ? "equal" : "differs";
}

function answeredWords({ summary: { counts } }: RunResult): string {
  return `${counts.ok} of ${counts.asked}`;
}
