import type { JsonValue, PartialProtocol } from "../protocol.ts";
import { observed, part, UNKNOWN } from "./axis.ts";
import type { AxisDefinition, AxisPart, AxisState } from "./axis.ts";

/** Prompts of one target length are calibrated to within 8 tokens or 1 %, whichever is more. */
function comparePromptTokens(a: JsonValue, b: JsonValue): AxisState {
  const [one, other] = [medianOf(a), medianOf(b)];
  if (one === null || other === null) {
    return "unknown";
  }
  return Math.abs(one - other) <= Math.max(8, 0.01 * Math.max(one, other)) ? "equal" : "differs";
}

/** Which requests find a prefix hangs on which of them came first: two equal runs differ by some tokens. */
function compareCachedTokens(a: JsonValue, b: JsonValue): AxisState {
  if (typeof a !== "number" || typeof b !== "number") {
    return "unknown";
  }
  return Math.abs(a - b) <= Math.max(8, 0.05 * Math.max(a, b)) ? "equal" : "differs";
}

function medianOf(value: JsonValue): number | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return null;
  }
  return typeof value["p50"] === "number" ? value["p50"] : null;
}

function promptTokens({ workload }: PartialProtocol): JsonValue {
  const { min, p50, max } = workload?.promptTokens ?? {};
  return min == null || p50 == null || max == null ? null : { min, p50, max };
}

/** The prompts themselves decide where both are known; else what is said of them, and then they stay unknown. */
function workloadParts(protocol: PartialProtocol): AxisPart[] {
  const { workload } = protocol;
  return [
    part("sha256", workload?.sha256, { stated: workload?.sha256 ?? workload?.source ?? null }),
    part("kind", workload?.kind),
    part("prompt tokens", promptTokens(protocol), { compare: comparePromptTokens }),
    part("task", workload?.task),
    part("shared prefix", workload?.sharedPrefixTokens),
    part("prefix groups", workload?.prefixGroups),
    part("hit rate", workload?.hitRate),
    part("turns", workload?.turns),
    part("output caps", workload?.outputCaps),
    ...(workload?.history == null ? [] : [part("history", workload.history)]),
    ...(workload?.turnDelayMs == null ? [] : [part("turn delay", workload.turnDelayMs)]),
  ];
}

function workloadInWords(protocol: PartialProtocol): string {
  const { workload } = protocol;
  if (workload == null) {
    return UNKNOWN;
  }
  const tokens = medianOf(promptTokens(protocol));
  const words = [
    workload.source ?? workload.kind ?? UNKNOWN,
    ...(workload.kind == null || workload.kind === workload.source ? [] : [workload.kind]),
    ...(workload.prompts == null
      ? []
      : [`${workload.prompts} ${workload.prompts === 1 ? "prompt" : "prompts"}`]),
    ...(tokens === null ? [] : [`${tokens} prompt tokens`]),
    ...(workload.outputCaps === "recorded" ? ["outputs as long as recorded"] : []),
    ...(workload.sha256 == null ? [] : [`sha256 ${workload.sha256.slice(0, 12)}`]),
  ];
  return words.filter((word, index) => words.indexOf(word) === index).join(", ");
}

function loadParts({ load, workload }: PartialProtocol): AxisPart[] {
  const common = [
    part("kind", load?.kind),
    part("requests", workload?.prompts),
    part("duration", load?.durationS),
    part("warm-up", load?.warmupRequests),
    // Who says nothing of retries has none.
    part("retries", load?.kind == null ? null : (load.retries ?? 0)),
  ];
  const ramp = load?.ramp == null ? null : { ...load.ramp };
  switch (load?.kind) {
    case "closed-loop":
      return [...common, part("concurrency", load.concurrency), part("start together", load.startTogether)];
    case "ramp":
      return [...common, part("ramp", ramp), part("start together", load.startTogether)];
    case "trace":
      return [...common, part("trace speed", load.traceSpeed), part("max in flight", load.maxInFlight)];
    case "constant":
    case "poisson":
    case "gamma":
      return [
        ...common,
        part("rate", load.rate),
        ...(load.kind === "gamma" ? [part("burstiness", load.burstiness)] : []),
        part("max in flight", load.maxInFlight),
      ];
    default:
      return common;
  }
}

function loadInWords({ load }: PartialProtocol): string {
  if (load?.kind == null) {
    return UNKNOWN;
  }
  const until = typeof load.durationS === "number" ? ` for ${load.durationS} s` : "";
  const retries = load.retries == null ? "" : `, ${load.retries} retries`;
  const warmup = `${load.warmupRequests == null ? "warm-up unknown" : `${load.warmupRequests} warm-up`}${retries}`;
  const limit = typeof load.maxInFlight === "number" ? `, at most ${load.maxInFlight} in flight` : "";
  const together = load.startTogether === true ? ", started together" : "";
  if (load.kind === "closed-loop") {
    return `closed loop at ${load.concurrency ?? "unknown"}${until}${together}, ${warmup}`;
  }
  if (load.kind === "ramp") {
    const { of, from, to, shape } = load.ramp ?? {};
    return `ramp of ${of ?? "unknown"} ${from ?? "?"} to ${to ?? "?"} (${shape ?? "unknown"})${until}${together}, ${warmup}`;
  }
  if (load.kind === "trace") {
    return `trace at ${load.traceSpeed ?? "unknown"} times its speed${until}${limit}, ${warmup}`;
  }
  const burst = load.kind === "gamma" ? `, burstiness ${load.burstiness ?? "unknown"}` : "";
  return `${load.kind} at ${load.rate ?? "unknown"} requests/s${burst}${until}${limit}, ${warmup}`;
}

type Speculation = NonNullable<PartialProtocol["speculation"]>;

/** What was observed outranks what was said. */
function isSpeculating(speculation: Speculation | null | undefined): "on" | "off" | null {
  if (speculation?.observed != null) {
    return speculation.observed ? "on" : "off";
  }
  if (speculation?.method === "off") {
    return "off";
  }
  return speculation?.method == null ? null : "on";
}

function speculationParts({ speculation }: PartialProtocol): AxisPart[] {
  const state = isSpeculating(speculation);
  const stated = speculation?.method === "off" ? "off" : speculation?.method == null ? null : "on";
  const on = part("speculation", state, { stated });
  return state === "off"
    ? [on]
    : [
        on,
        part("method", speculation?.method),
        part("draft budget", speculation?.draftBudget),
        part("draft model", speculation?.draftModel),
      ];
}

function speculationInWords({ speculation }: PartialProtocol): string {
  const state = isSpeculating(speculation);
  if (state === "off") {
    return "off";
  }
  const { method, draftBudget, draftModel } = speculation ?? {};
  if (state === null && draftBudget == null && draftModel == null) {
    return UNKNOWN;
  }
  return `${method == null ? "" : `${method}, `}draft budget ${draftBudget ?? "unknown"}, ${draftModel ?? "unknown draft model"}`;
}

/** Figures that are told in one convention on both sides can be laid beside each other. */
function compareConventions(a: JsonValue, b: JsonValue): AxisState {
  if (!Array.isArray(a) || !Array.isArray(b)) {
    return "unknown";
  }
  return a.some((one) => b.includes(one)) ? "equal" : "differs";
}

function conventions({ counting }: PartialProtocol): string[] | null {
  return counting?.rateConventions == null ? null : [...counting.rateConventions].sort();
}

export const workloadAxis: AxisDefinition = {
  axis: "workload",
  decisive: true,
  parts: workloadParts,
  words: workloadInWords,
};

/** The axes that only a whole run shows. */
export const runAxes: readonly AxisDefinition[] = [
  { axis: "load", decisive: false, parts: loadParts, words: loadInWords },
  {
    axis: "cache state",
    decisive: false,
    parts: ({ cache }) => [
      part("policy", cache?.policy),
      observed("state", cache?.state),
      observed("tokens from cache", cache?.cachedTokens, compareCachedTokens),
    ],
    words: ({ cache }) => {
      const { policy, state, cachedTokens } = cache ?? {};
      const known = [
        ...(policy == null ? [] : [`policy ${policy}`]),
        ...(state == null ? [] : [state]),
        ...(cachedTokens == null
          ? []
          : [`${cachedTokens} prompt ${cachedTokens === 1 ? "token" : "tokens"} from cache`]),
      ];
      return known.length === 0 ? UNKNOWN : known.join(", ");
    },
  },
  { axis: "speculation", decisive: false, parts: speculationParts, words: speculationInWords },
  {
    axis: "repetition",
    decisive: false,
    parts: ({ repetition }) => [part("reps", repetition?.reps), part("boots", repetition?.boots)],
    words: ({ repetition }) => `${repetition?.reps ?? UNKNOWN} reps, ${repetition?.boots ?? UNKNOWN} boots`,
  },
  {
    axis: "counting",
    decisive: false,
    parts: (protocol) => [
      observed("tokens", protocol.counting?.tokenSource),
      observed("decode rate", conventions(protocol), compareConventions),
    ],
    words: (protocol) =>
      `tokens counted by ${protocol.counting?.tokenSource ?? UNKNOWN}, decode rate by ${conventions(protocol)?.join(" and ") ?? UNKNOWN}`,
  },
  {
    axis: "engine",
    decisive: false,
    parts: ({ engine }) => [part("engine", engine?.name), part("version", engine?.version)],
    words: ({ engine }) => `${engine?.name ?? UNKNOWN} ${engine?.version ?? "(version unknown)"}`,
  },
  {
    axis: "hardware",
    decisive: false,
    parts: ({ hardware }) => [
      part("device", hardware?.device),
      part("client host", hardware?.clientHost, { stated: null }),
    ],
    words: ({ hardware }) => hardware?.device ?? UNKNOWN,
  },
];
