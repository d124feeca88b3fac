import { readingFrom, type AcceptanceContext, type AcceptanceOutcome } from "../normal/acceptance-reading.ts";
import type { CounterValues } from "../normal/counter-values.ts";
import type { Dialect } from "./dialect.ts";
import { countedAcceptance, startsWithAny } from "./shared.ts";
import { vllmSchema } from "./vllm-schema.ts";

const PREFIX = "vllm:";

/** vLLM: its second engine, and what its first one published until 0.9. */
export const vllm: Dialect = {
  ...vllmSchema(PREFIX),
  engine: "vllm",
  title: "vLLM",
  enabling: "vLLM serves /metrics by default on its API port, without --disable-log-stats",
  recognises: startsWithAny(PREFIX),
  staleness: {
    seconds: 1,
    why: "gauges are set with every engine step; with several API servers the most recent one is read",
  },
  acceptance: vllmAcceptance,
};

/**
 * The first engine counts emitted tokens and no drafts. Its verify steps would be emitted minus accepted if every step gave a
 * bonus token, which its counters do not say: so there is a rate and no length.
 */
function vllmAcceptance(values: CounterValues, context: AcceptanceContext): AcceptanceOutcome {
  const emitted = values.get("emittedTokens");
  if (emitted === null || values.get("verifySteps") !== null) return countedAcceptance(values, context);
  const [draftTokens, acceptedTokens] = [values.get("draftTokens"), values.get("acceptedTokens")];
  if (draftTokens === null || acceptedTokens === null) return countedAcceptance(values, context);
  const note =
    "vLLM's first engine counts no verify steps: a mean length cannot be had from its counters" +
    ` (${emitted.value} tokens were emitted, bonus tokens included)`;
  return {
    reading: readingFrom({ draftTokens, acceptedTokens, notes: [note] }, context.window),
    missing: null,
  };
}
