import type {
  Counts,
  Detection,
  Distribution,
  Distributions,
  Figure,
  AcceptanceOutcome,
  NormalReading,
  WatchPoint,
} from "@onpar/metrics-client";

/** A reading of one page, for people: what the server does now, and what it has done since its start. */
export function describeReading(reading: NormalReading, detection: Detection, url: string): string {
  const { busy, kvUsage, counts, draftBudget, acceptance, distributions, notes, models } = reading;
  const version = detection.version === null ? "" : ` ${detection.version}`;
  const lines = [
    `${reading.title ?? "unknown server"}${version} at ${url}`,
    row(
      "evidence",
      detection.evidence.length === 0 ? null : `${detection.evidence.join("; ")} (${detection.confidence})`,
    ),
    row("models", models.length === 0 ? null : models.join(", ")),
    row("load", loadInWords(busy)),
    row("KV cache", kvUsage === null ? null : `${percent(kvUsage.max)} used`),
    ...countRows(counts),
    ...latencyRows(distributions),
    row(
      "draft budget",
      draftBudget === null
        ? null
        : `${draftBudget.isExact ? "" : "at least "}${draftBudget.value} (${draftBudget.from})`,
    ),
    ...acceptanceRows(acceptance),
    ...notes.map((note) => row("note", note)),
  ];
  return lines.flatMap((line) => (line === null ? [] : [`${line}\n`])).join("");
}

const HEADINGS = [
  "time",
  "running",
  "waiting",
  "KV",
  "tok/s",
  "req/s",
  "acceptance",
  "tok/step",
  "total acceptance",
] as const;
const WIDTHS = [8, 7, 7, 7, 9, 8, 10, 8, 16] as const;

/** The line above the samples of a watch. */
export function watchHeading(): string {
  return aligned(HEADINGS);
}

/** One sample of a watch. Rates and acceptance are of the time since the sample before. */
export function watchLine({ scheduledMs, missed, reading, window, total, error }: WatchPoint): string {
  const time = new Date(scheduledMs).toISOString().slice(11, 19);
  if (error !== null) return `${time}  ${error.message}`;
  const perS = (count: number | undefined): string =>
    count === undefined || window?.seconds == null || window.seconds <= 0
      ? "-"
      : (count / window.seconds).toFixed(1);
  const recent = window?.acceptance.reading ?? null;
  const line = aligned([
    time,
    whole(reading?.busy.running ?? null),
    whole(reading?.busy.waiting ?? null),
    reading?.kvUsage == null ? "-" : percent(reading.kvUsage.max),
    perS(window?.counts.generationTokens?.value),
    perS(window?.counts.requestsFinished?.value),
    figureIn(recent?.rate ?? null, percent),
    figureIn(recent?.meanLength ?? null, two),
    figureIn(total?.acceptance?.rate ?? null, percent),
  ]);
  const remarks = [
    window?.reset === true ? "the server restarted" : null,
    missed > 0 ? `${missed} samples missed` : null,
  ].filter((remark) => remark !== null);
  return remarks.length === 0 ? line : `${line}  ${remarks.join(", ")}`;
}

function aligned(cells: readonly string[]): string {
  return cells.map((cell, index) => cell.padStart(WIDTHS[index] ?? 0)).join("  ");
}

function row(name: string, text: string | null): string | null {
  return text === null ? null : `  ${name.padEnd(14)} ${text}`;
}

function loadInWords({ running, waiting, staleness }: NormalReading["busy"]): string | null {
  if (running === null && waiting === null) return null;
  const age = staleness.seconds === 0 ? "" : ` (${staleness.why})`;
  return `${whole(running)} running, ${whole(waiting)} waiting${age}`;
}

function countRows(counts: Counts): (string | null)[] {
  const { promptTokens, generationTokens, requestsFinished, requestsByReason, preemptions } = counts;
  const { prefixCacheQueries: queries, prefixCacheHits: hits } = counts;
  const reasons = Object.entries(requestsByReason ?? {}).filter(([, count]) => count > 0);
  const by =
    reasons.length === 0 ? "" : `: ${reasons.map(([reason, count]) => `${reason} ${count}`).join(", ")}`;
  return [
    row("requests", requestsFinished === null ? null : `${count(requestsFinished.value)} finished${by}`),
    row(
      "tokens",
      promptTokens === null && generationTokens === null
        ? null
        : `${promptTokens === null ? "-" : count(promptTokens.value)} prompt, ${generationTokens === null ? "-" : count(generationTokens.value)} generated`,
    ),
    row(
      "prefix cache",
      queries === null || hits === null || queries.value <= 0
        ? null
        : `${percent(hits.value / queries.value)} of ${count(queries.value)} tokens were in it`,
    ),
    row("preemptions", preemptions === null ? null : count(preemptions.value)),
  ];
}

function latencyRows({
  timeToFirstToken,
  timePerOutputToken,
  interTokenLatency,
  endToEnd,
}: Distributions): (string | null)[] {
  return [
    row("TTFT", latency(timeToFirstToken)),
    row("TPOT", latency(timePerOutputToken)),
    row("ITL", latency(interTokenLatency)),
    row("E2EL", latency(endToEnd)),
  ];
}

function latency(distribution: Distribution | undefined): string | null {
  if (distribution === undefined || distribution.count === 0) return null;
  const { count: n, mean, p50, p99, observation } = distribution;
  const ms = (seconds: number | undefined): string =>
    seconds === undefined ? "-" : `${(seconds * 1000).toFixed(1)} ms`;
  return `mean ${ms(mean ?? undefined)}, p50 ${ms(p50?.value)}, p99 ${ms(p99?.value)} (n ${n}, per ${observation}, by buckets)`;
}

function acceptanceRows({ reading, missing }: AcceptanceOutcome): (string | null)[] {
  if (reading === null) return [row("acceptance", missing)];
  const { rate, meanLength, tokensPerStep, perPosition, draftTokens, acceptedTokens, verifySteps, notes } =
    reading;
  const counts = [
    ["V", verifySteps],
    ["D", draftTokens],
    ["A", acceptedTokens],
  ] as const;
  const known = counts.flatMap(([name, quantity]) =>
    quantity === null ? [] : [`${name} ${count(quantity.value)}`],
  );
  return [
    row("acceptance", rate === null ? null : described(rate, percent)),
    row("length", meanLength === null ? null : `${described(meanLength, two)} tokens per verify step`),
    row(
      "effective",
      tokensPerStep === null ? null : `${described(tokensPerStep, two)} tokens per decode step`,
    ),
    row("counts", known.length === 0 ? null : known.join(", ")),
    ...(perPosition ?? []).map((share, position) => row(`  position ${position}`, bar(share.value))),
    ...notes.map((note) => row("note", note)),
  ];
}

/** A figure with its error, its formula and where it comes from. */
function described(figure: Figure, show: (value: number) => string): string {
  const error = figure.plusMinus > 0 ? ` ± ${show(figure.plusMinus)}` : "";
  return `${show(figure.value)}${error} (${figure.formula}, ${figure.source}, ${figure.window.kind.replaceAll("-", " ")})`;
}

const BAR_WIDTH = 24;

function bar(share: number): string {
  const filled = Math.round(Math.max(0, Math.min(1, share)) * BAR_WIDTH);
  return `${"#".repeat(filled).padEnd(BAR_WIDTH, ".")} ${percent(share)}`;
}

function figureIn(figure: Figure | null, show: (value: number) => string): string {
  return figure === null ? "-" : show(figure.value);
}

function whole(value: number | null): string {
  return value === null ? "-" : value.toFixed(0);
}

function two(value: number): string {
  return value.toFixed(2);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function count(value: number): string {
  return value.toLocaleString("en-US", { maximumFractionDigits: 0 });
}
