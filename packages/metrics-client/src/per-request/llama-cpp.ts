import { at, isRecord, jsonCountAt } from "../json.ts";
import { MAX_POSITIONS, NOTHING_TOLD, type RequestAcceptance } from "./request-acceptance.ts";

/**
 * llama.cpp's `timings`, which stand on the last chunk of a stream: D and A. V is not told, the decode steps follow. ik_llama.cpp
 * adds counts by depth, mlx-vlm adds V.
 */
export function llamaCppRequest(json: unknown): RequestAcceptance | null {
  const timings = at(json, "timings");
  if (!isRecord(timings)) return null;
  const draftTokens = jsonCountAt(timings, "draft_n");
  const acceptedTokens = jsonCountAt(timings, "draft_n_accepted");
  if (draftTokens === null || acceptedTokens === null) return null;
  const generated = jsonCountAt(timings, "predicted_n");
  const steps = generated === null ? null : generated - 1 - acceptedTokens;
  const depths = readDepths(timings["draft_by_depth"]);
  return {
    ...NOTHING_TOLD,
    engine: "llama-cpp",
    fields: "timings",
    draftTokens,
    acceptedTokens,
    verifySteps: jsonCountAt(timings, "draft_rounds"),
    acceptedPerPosition: depths?.accepted ?? null,
    draftedPerPosition: depths?.drafted ?? null,
    generated,
    // Negative when tokens were accepted past the end: then it is not known.
    decodeSteps: steps === null || steps < 0 ? null : steps,
  };
}

/** `[{ depth, draft_n, draft_n_accepted }]` with depths from 1. */
function readDepths(depths: unknown): { accepted: number[]; drafted: number[] | null } | null {
  if (!Array.isArray(depths) || depths.length === 0 || depths.length > MAX_POSITIONS) return null;
  const accepted: number[] = Array.from({ length: depths.length }, () => 0);
  const drafted: (number | null)[] = Array.from({ length: depths.length }, () => null);
  const seen = new Set<number>();
  for (const entry of depths) {
    const depth = jsonCountAt(entry, "depth");
    const count = jsonCountAt(entry, "draft_n_accepted");
    if (depth === null || count === null || depth < 1 || depth > depths.length || seen.has(depth))
      return null;
    seen.add(depth);
    accepted[depth - 1] = count;
    drafted[depth - 1] = jsonCountAt(entry, "draft_n");
  }
  const told = drafted.filter((count) => count !== null);
  return { accepted, drafted: told.length === drafted.length ? told : null };
}
