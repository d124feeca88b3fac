import type { BenchConfig, DatasetKind, LoadKind } from "../schema.ts";
import type { Dependents } from "./rule.ts";

const generatedKinds: readonly DatasetKind[] = ["random-ids", "random-text", "source-code", "shared-prefix"];

/** What the prompts are, where `auto` has a file to look at or none. */
function kindOf({ dataset, datasetPath }: BenchConfig): DatasetKind {
  return dataset.kind === "auto" && datasetPath === null ? "random-text" : dataset.kind;
}

function onlyFor(settings: readonly string[], kinds: readonly DatasetKind[]): Dependents {
  return {
    choice: "dataset.kind",
    settings,
    isMeaningless: (config) => !kinds.includes(kindOf(config)),
    message: (config) =>
      `means something for ${kinds.join(", ")} only, and the prompts are ${kindOf(config)}; leave this out, or ` +
      `choose another --dataset-kind`,
  };
}

/** Settings of prompts that only some kinds have. */
export const datasetDependents: readonly Dependents[] = [
  {
    choice: "datasetPath",
    settings: ["inputLen"],
    isMeaningless: ({ datasetPath }) => datasetPath !== null,
    message: () =>
      "prompts of a dataset are sent whole, so their length cannot be chosen; leave this out, or leave out " +
      "--dataset-path for generated prompts",
  },
  {
    choice: "dataset.kind",
    settings: ["datasetPath"],
    isMeaningless: ({ dataset }) => generatedKinds.includes(dataset.kind),
    message: ({ dataset }) =>
      `names a file, and prompts of the kind ${dataset.kind} are generated; leave this out, or choose another ` +
      "--dataset-kind",
  },
  {
    choice: "datasetPath",
    settings: ["dataset.shuffle", "dataset.oversample"],
    isMeaningless: ({ dataset, datasetPath }) =>
      datasetPath === null && (dataset.kind === "auto" || generatedKinds.includes(dataset.kind)),
    message: () => "is about the rows of a file, and the prompts are generated; add --dataset-path FILE",
  },
  onlyFor(["dataset.rangeRatio"], ["random-ids", "random-text", "shared-prefix"]),
  onlyFor(["dataset.sharedPrefixLen"], ["random-ids", "random-text", "shared-prefix"]),
  onlyFor(["dataset.prefixGroups", "dataset.hitRate"], ["shared-prefix"]),
  onlyFor(["dataset.sourcePath", "dataset.task"], ["source-code"]),
  onlyFor(["dataset.turns", "dataset.turnDelayMs", "dataset.history"], ["multi-turn", "sharegpt", "auto"]),
  onlyFor(["dataset.recordedLengths"], ["multi-turn", "sharegpt", "auto"]),
  onlyFor(["dataset.traceBlockTokens"], ["trace"]),
];

const openLoops: readonly LoadKind[] = ["constant", "poisson", "gamma", "trace"];

function loadOnly(settings: readonly string[], kinds: readonly LoadKind[], hint: string): Dependents {
  return {
    choice: "load.kind",
    settings,
    isMeaningless: ({ load }) => !kinds.includes(load.kind),
    message: ({ load }) =>
      `means something for ${kinds.join(", ")} only, and the load is ${load.kind}; leave this out, or ${hint}`,
  };
}

/** Settings of the load that only some kinds have. */
export const loadDependents: readonly Dependents[] = [
  loadOnly(["load.rate"], ["constant", "poisson", "gamma"], "choose another --load"),
  loadOnly(["load.burstiness"], ["gamma"], "add --load gamma"),
  loadOnly(["load.maxInFlight"], [...openLoops, "ramp"], "use --concurrency"),
  loadOnly(
    [
      "load.ramp.fromRate",
      "load.ramp.toRate",
      "load.ramp.fromConcurrency",
      "load.ramp.toConcurrency",
      "load.ramp.shape",
    ],
    ["ramp"],
    "add --load ramp",
  ),
  loadOnly(["load.traceSpeed"], ["trace"], "add --load trace"),
  loadOnly(["load.startTogether"], ["closed-loop", "ramp"], "choose another --load"),
  {
    choice: "load.kind",
    settings: ["concurrency"],
    isMeaningless: ({ load }) => load.kind !== "closed-loop",
    message: ({ load }) =>
      `keeps requests in flight, and the load is ${load.kind}; leave this out, or limit them with --max-in-flight`,
  },
];
