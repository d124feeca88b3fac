import { readingFrom, type AcceptanceContext, type AcceptanceReading } from "../normal/acceptance-reading.ts";
import type { CounterValues } from "../normal/counter-values.ts";
import { figure } from "../normal/figure.ts";
import { exact, type Quantity, subtract } from "../normal/quantity.ts";
import { at, numberAt } from "../json.ts";
import type { ServerFacts } from "./server-facts.ts";

/**
 * SGLang's server info holds the mean length since the start, over all decode steps. With the tokens that were decoded up to
 * both ends of a window, the steps at both ends follow, and with them the mean of the window alone.
 */
export function sglangLifetime(context: AcceptanceContext): AcceptanceReading | null {
  const after = lifetimeLength(context.facts);
  if (after === null) return null;
  const { window, totals, draftBudget } = context;
  const rated = (
    value: number,
    formula: "lifetime:length" | "lifetime:length:difference",
  ): AcceptanceReading => {
    const length = figure(exact(value), formula, "lifetime-average", window);
    const budget = draftBudget?.value ?? 0;
    return {
      ...readingFrom(
        { source: "lifetime-average", notes: ["the server updates its average at decode reports only"] },
        window,
      ),
      meanLength: length,
      rate: budget > 0 ? figure(exact((value - 1) / budget), "(tau-1)/K", "lifetime-average", window) : null,
    };
  };
  if (context.before === null) return rated(after, "lifetime:length");
  const before = lifetimeLength(context.factsBefore);
  if (before === null || totals === null) return null;
  const [tokensBefore, tokensAfter] = [decoded(totals.before), decoded(totals.after)];
  if (tokensBefore === null || tokensAfter === null) return null;
  const steps = tokensAfter.value / after - tokensBefore.value / before;
  const tokens = tokensAfter.value - tokensBefore.value;
  return steps > 0 && tokens > 0 ? rated(tokens / steps, "lifetime:length:difference") : null;
}

function decoded(values: CounterValues): Quantity | null {
  const generated = values.get("generationTokens");
  const requests = values.get("requestsFinished") ?? values.get("firstTokens");
  return generated === null || requests === null ? null : subtract(generated, requests);
}

/** Mean over the ranks; null when speculation is off or no decode report came yet. */
function lifetimeLength({ serverInfo }: ServerFacts): number | null {
  const states = at(serverInfo, "internal_states");
  if (!Array.isArray(states)) return null;
  const told = states
    .map((state) => numberAt(state, "avg_spec_accept_length"))
    .filter((value) => value !== null && value >= 1);
  if (told.length === 0) return null;
  return told.reduce<number>((sum, value) => sum + (value ?? 0), 0) / told.length;
}
