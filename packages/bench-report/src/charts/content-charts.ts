import type { PromptAcceptance } from "../digest/run-digest.ts";
import { formatPercent } from "../format.ts";
import { median } from "../compare/resample.ts";
import type { Result } from "../result/schema.ts";
import { barChart } from "./bar-chart.ts";
import type { Chart } from "./chart.ts";

/** Types of content that can be told apart on a chart. */
const MOST_TYPES = 12;

/** Acceptance by type of content, of a result that measured several: `onpar experiment content`. Boots of a type stand together. */
export function contentTypeCharts({ points }: Result): Chart[] {
  const rates = new Map<string, number[]>();
  for (const { at, figures } of points) {
    const type = /(?:^|, )content ([^,]+)/.exec(at.profile ?? "")?.[1];
    const rate = figures.acceptanceRate?.value ?? null;
    if (type !== undefined && rate !== null) rates.set(type, [...(rates.get(type) ?? []), rate]);
  }
  const bars = [...rates].map(([name, values]) => ({ name, value: median(values) }));
  return bars.length < 2 ? [] : charts("type of content", bars);
}

/**
 * Acceptance by type of content, of a run whose prompts are named after it: `code-1`, `code-2`, `prose-1`. All draft tokens of a type
 * count together. None where the names tell no types.
 */
export function contentNameCharts(prompts: readonly PromptAcceptance[]): Chart[] {
  const types = new Map<string, { prompts: number; drafted: number; accepted: number }>();
  for (const { promptId, draftTokens, acceptedTokens } of prompts) {
    const name = /^(.*\D)[-_./:]\d+$/.exec(promptId)?.[1];
    if (name === undefined) return [];
    const known = types.get(name) ?? { prompts: 0, drafted: 0, accepted: 0 };
    types.set(name, known);
    known.prompts++;
    known.drafted += draftTokens;
    known.accepted += acceptedTokens;
  }
  const isTold = types.size >= 2 && types.size <= MOST_TYPES && types.size < prompts.length;
  if (!isTold) return [];
  const bars = [...types].map(([name, { drafted, accepted }]) => ({ name, value: accepted / drafted }));
  return charts(
    "type of content, as prompts are named",
    bars.sort((a, b) => a.value - b.value),
  );
}

function charts(xLabel: string, bars: readonly { readonly name: string; readonly value: number }[]): Chart[] {
  const id = "acceptance-content-type";
  const chart = barChart(
    { id, title: "Acceptance by content", xLabel, most: 1, format: formatPercent },
    bars,
  );
  return chart === null ? [] : [chart];
}
