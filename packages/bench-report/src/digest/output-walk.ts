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
  let carriers = 0;
  for (let index = 0; index < gapsNs.length; index++) {
    if ((bytes[index] ?? 0) > 0 || (tokens?.[index] ?? 0) > 0) carriers++;
  }
  const share = carriers === 0 || outputTokens === null ? 0 : outputTokens / carriers;
  let atNs = 0;
  let beforeNs: number | null = null;
  for (let index = 0; index < gapsNs.length; index++) {
    atNs += gapsNs[index] ?? 0;
    if (!((bytes[index] ?? 0) > 0 || (tokens?.[index] ?? 0) > 0)) continue;
    timeline.add("tokens", atNs / NS_PER_S, tokens?.[index] ?? share);
    if (onGapMs !== null && beforeNs !== null) onGapMs((atNs - beforeNs) / NS_PER_MS);
    beforeNs = atNs;
  }
}
