import { basename } from "node:path";
import type { GgufInsights, Llama } from "node-llama-cpp";
import { EngineError } from "../errors.ts";
import type { NodeLlama } from "./node-llama.ts";

/** A model, and the context that it is to have. */
export interface MemoryNeed {
  readonly path: string;
  readonly contextSize: number;
  readonly slots: number;
  readonly batchSize: number;
}

/** Estimated bytes of one model with its context. */
export interface MemoryEstimate {
  readonly path: string;
  readonly modelBytes: number;
  readonly contextBytes: number;
}

/** What a file says of its model; nothing is loaded. */
export async function readInsights(nodeLlama: NodeLlama, llama: Llama, path: string): Promise<GgufInsights> {
  const file = await nodeLlama.readGgufFileInfo(path, { readTensorInfo: true, logWarnings: false });
  return await nodeLlama.GgufInsights.from(file, llama);
}

/** Estimates what a model and its context take in main memory. */
export async function estimateMemory(
  insights: GgufInsights,
  { path, contextSize, slots, batchSize }: MemoryNeed,
): Promise<MemoryEstimate> {
  const model = await insights.estimateModelResourceRequirementsV2({ gpuLayers: 0 });
  const context = await insights.estimateContextResourceRequirementsV2({
    contextSize,
    sequences: slots,
    batchSize,
    modelGpuLayers: 0,
    swaFullCache: true,
  });
  return { path, modelBytes: model.cpuRam, contextBytes: context.cpuRam };
}

/**
 * Refuses what does not fit before anything is loaded: a machine that swaps measures nothing, and one without swap
 * ends the process without a word.
 *
 * @throws {EngineError} `ENGINE_OUT_OF_MEMORY`, saying how the need is made up
 */
export function refuseTooLarge(
  estimates: readonly MemoryEstimate[],
  slots: number,
  limitBytes: number,
): void {
  const total = estimates.reduce((sum, { modelBytes, contextBytes }) => sum + modelBytes + contextBytes, 0);
  if (total <= limitBytes) return;
  const parts = estimates.map(
    ({ path, modelBytes, contextBytes }) =>
      `${basename(path)} ${inMiB(modelBytes)} and its context ${inMiB(contextBytes)}`,
  );
  throw new EngineError(
    "ENGINE_OUT_OF_MEMORY",
    `the model needs about ${inMiB(total)} and ${inMiB(limitBytes)} are free: ${parts.join(", ")} for ${slots} slots ` +
      "(ask for a smaller context, fewer requests at a time or a smaller quantisation)",
  );
}

function inMiB(bytes: number): string {
  return `${Math.ceil(bytes / 2 ** 20)} MiB`;
}
