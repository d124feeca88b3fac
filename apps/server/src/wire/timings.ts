import type { GenerateFinish } from "@onpar/engine-binding";

function rates(tokens: number | null, ms: number | null, name: "prompt" | "predicted") {
  return {
    [`${name}_n`]: tokens,
    [`${name}_ms`]: ms,
    [`${name}_per_token_ms`]: tokens === null || ms === null || tokens === 0 ? null : ms / tokens,
    [`${name}_per_second`]: tokens === null || ms === null || ms === 0 ? null : (tokens * 1000) / ms,
  };
}

/** ms between two times; null when one is not known. */
function between(fromNs: bigint | null, toNs: bigint | null): number | null {
  return fromNs === null || toNs === null ? null : Number(toNs - fromNs) / 1e6;
}

/** llama.cpp's `timings`: prompt tokens that were evaluated, output tokens, and what drafting brought. */
export function timingsOf(finish: GenerateFinish): Readonly<Record<string, number | null>> {
  const { promptTokens, cachedPromptTokens, outputTokens, speculation } = finish;
  const evaluated = promptTokens === null ? null : promptTokens - (cachedPromptTokens ?? 0);
  return {
    cache_n: cachedPromptTokens,
    ...rates(evaluated, between(finish.startedAtNs, finish.firstTokenAtNs), "prompt"),
    ...rates(outputTokens, between(finish.firstTokenAtNs, finish.endedAtNs), "predicted"),
    ...(speculation === null
      ? {}
      : { draft_n: speculation.draftTokens, draft_n_accepted: speculation.acceptedTokens }),
  };
}
