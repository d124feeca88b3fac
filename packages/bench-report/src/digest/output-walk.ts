import type { RequestRecord } from "@onpar/sweep-runner";

import type { Timeline } from "./timeline.ts";

const NS_PER_S = 1e9;
const NS_PER_MS = 1e6;

/**
 * Puts the output tokens of a record on a timeline where they arrived, and tells the gaps between its chunks. Where chunks do
 * not tell their tokens, those of the request are spread evenly over its chunks.
 */
export function addOutput(
  { chunks, outputTokens }: Pick<RequestRecord, "chunks" | "outputTokens">,
  timeline: Timeline,
  onGapMs: ((gapMs: number) => void) | null,
): void {
  const { gapsNs, bytes, tokens } = chunks;
  const share = tokens === null ? shareOf(bytes, outputTokens) : 0;
  let atNs = 0;
  let beforeNs = -1;
  for (let index = 0; index < gapsNs.length; index++) {
    atNs += gapsNs[index] ?? 0;
    const told = tokens === null ? share : (tokens[index] ?? 0);
    const carries = (bytes[index] ?? 0) > 0 || (tokens !== null && told > 0);
    if (!carries) continue;
    timeline.addTokens(atNs / NS_PER_S, told);
    if (onGapMs !== null && beforeNs >= 0) onGapMs((atNs - beforeNs) / NS_PER_MS);
    beforeNs = atNs;
  }
}

function shareOf(bytes: readonly number[], outputTokens: number | null): number {
  if (outputTokens === null) return 0;
  const carriers = bytes.filter((one) => one > 0).length;
  return carriers === 0 ? 0 : outputTokens / carriers;
}
