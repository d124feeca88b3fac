import type { PromptAcceptance, RunDigest } from "../digest/run-digest.ts";
import type { TimelineBin } from "../digest/timeline.ts";
import { formatPercent, formatShare } from "../format.ts";
import type { Result } from "../result/schema.ts";
import { barChart, histogramChart } from "./bar-chart.ts";
import type { Chart, SeriesPoint } from "./chart.ts";
import { xyChart } from "./xy-chart.ts";

/** Distributions, timeline and acceptance of one run, from what its records left. */
export function runCharts(digest: RunDigest): Chart[] {
  const requests = "requests";
  return [
    histogramChart(
      { id: "dist-ttft", title: "Time to first token", xLabel: "ms", of: requests },
      digest.ttftMs,
    ),
    histogramChart(
      { id: "dist-tpot", title: "Time per output token", xLabel: "ms", of: requests },
      digest.tpotMs,
    ),
    histogramChart(
      { id: "dist-e2el", title: "End-to-end latency", xLabel: "ms", of: requests },
      digest.e2elMs,
    ),
    histogramChart(
      { id: "dist-gaps", title: "Gaps between chunks", xLabel: "ms", of: "gaps" },
      digest.chunkGapMs,
    ),
    histogramChart(
      { id: "dist-output", title: "Output lengths", xLabel: "tokens", of: requests },
      digest.outputTokens,
    ),
    ...timelineCharts(digest.timeline),
    contentChart(digest.acceptance),
  ].filter((chart) => chart !== null);
}

/** Share of verify steps that accepted each draft position. */
export function positionCharts({ points }: Result): Chart[] {
  const told = points.filter(({ acceptance }) => acceptance?.perPositionRate != null);
  return told.slice(0, 8).flatMap(({ acceptance, label }, index) => {
    const chart = barChart(
      {
        id: told.length === 1 ? "acceptance-position" : `acceptance-position-${index + 1}`,
        title: `Accepted by draft position${told.length === 1 || label === null ? "" : `: ${label}`}`,
        xLabel: "draft position, from 0",
        most: 1,
        format: formatShare,
      },
      (acceptance?.perPositionRate ?? []).map((value, position) => ({ name: String(position), value })),
    );
    return chart === null ? [] : [chart];
  });
}

/** What a run did over time. */
export function timelineCharts(bins: readonly TimelineBin[]): (Chart | null)[] {
  const merged = coarse(bins);
  const over = (value: (bin: TimelineBin) => number): SeriesPoint[] => [
    ...merged.map((bin) => ({ x: bin.fromS, y: value(bin) })),
    ...merged.slice(-1).map((bin) => ({ x: bin.toS, y: value(bin) })),
  ];
  const per = (value: (bin: TimelineBin) => number) => (bin: TimelineBin) =>
    value(bin) / (bin.toS - bin.fromS);
  const failed = merged.some((bin) => bin.failed > 0);
  const common = { xLabel: "s since the start", shape: "step" as const };
  return [
    xyChart({ ...common, id: "time-tokens", title: "Output over time", yLabel: "tok/s" }, [
      { name: "output tokens", points: over(per((bin) => bin.tokens)) },
    ]),
    xyChart({ ...common, id: "time-requests", title: "Requests over time", yLabel: "req/s" }, [
      { name: "ended well", points: over(per((bin) => bin.ok)) },
      { name: "sent", points: over(per((bin) => bin.sent)) },
      ...(failed ? [{ name: "failed", points: over(per((bin) => bin.failed)) }] : []),
    ]),
    xyChart(
      { ...common, id: "time-flight", title: "In flight and waiting in the client", yLabel: "requests" },
      [
        { name: "in flight", points: over((bin) => bin.inFlight) },
        { name: "due and not sent", points: over((bin) => bin.queued) },
      ],
    ),
  ];
}

/** Bars that can be told apart on a page. */
const MOST_BINS = 128;

function coarse(bins: readonly TimelineBin[]): TimelineBin[] {
  const size = Math.max(1, Math.ceil(bins.length / MOST_BINS));
  if (size === 1) return [...bins];
  return Array.from({ length: Math.ceil(bins.length / size) }, (_, index) => {
    const part = bins.slice(index * size, (index + 1) * size);
    const sum = (value: (bin: TimelineBin) => number) => part.reduce((total, bin) => total + value(bin), 0);
    const last = part.at(-1);
    return {
      fromS: part[0]?.fromS ?? 0,
      toS: last?.toS ?? 0,
      sent: sum((bin) => bin.sent),
      ok: sum((bin) => bin.ok),
      failed: sum((bin) => bin.failed),
      tokens: sum((bin) => bin.tokens),
      inFlight: last?.inFlight ?? 0,
      queued: last?.queued ?? 0,
    };
  });
}

/** Acceptance by content: every prompt, from the hardest to guess to the easiest. */
function contentChart(prompts: readonly PromptAcceptance[]): Chart | null {
  const step = Math.max(1, Math.ceil(prompts.length / 60));
  return barChart(
    {
      id: "acceptance-content",
      title: "Acceptance by prompt",
      xLabel: prompts.length > 60 ? `every ${step}th of ${prompts.length} prompts` : "prompt",
      most: 1,
      format: formatPercent,
    },
    prompts
      .filter((_, index) => index % step === 0)
      .map(({ promptId, rate }) => ({ name: promptId, value: rate })),
  );
}
