import type {
  ArmComparison,
  BeforeAfter,
  EosBiasFigures,
  EosBiasResult,
  EstimatedFigure,
} from "@onpar/sweep-runner";

/** The result of the EOS-bias experiment in words and one small table. */
export function describeEosBias(result: EosBiasResult): string {
  const { pairs, ended, capped, parted, failed, exact, paired, reported } = result;
  const left = [
    capped > 0 ? `${capped} reached the cap under both rules` : null,
    parted > 0 ? `${parted} became another text before their end` : null,
    failed > 0 ? `${failed} failed` : null,
  ].filter((part) => part !== null);
  const lines = [
    `${ended} of ${pairs} outputs ended on EOS by themselves${left.length === 0 ? "" : `; left out: ${left.join(", ")}`}`,
    ...table("paired", paired),
    ...table("exact", exact),
  ];
  if (reported.honoured !== null && reported.forced !== null) {
    lines.push(
      `acceptance as reported: ${percent(reported.honoured)} with EOS honoured, ${percent(reported.forced)} with EOS ignored, ` +
        `difference ${points(reported.difference)}`,
    );
  }
  return lines.map((line) => `${line}\n`).join("");
}

function table(way: string, figures: EosBiasFigures | null): string[] {
  if (figures === null) return [];
  const rows: (string | null)[] = [
    row("acceptance", figures.acceptanceRate, percent, points),
    row("tokens per step", figures.tokensPerStep, plain, plain),
    row("decode tok/s", figures.decodeTokensPerS, plain, plain),
  ];
  return [`${way}, ${figures.prompts} prompts:`, ...rows.filter((line) => line !== null)];
}

function row(
  name: string,
  values: BeforeAfter | null,
  show: (figure: EstimatedFigure | null) => string,
  showDifference: (figure: EstimatedFigure | null) => string,
): string | null {
  if (values === null) return null;
  const { before, after, difference } = values;
  return `  ${name.padEnd(16)} before EOS ${show(before)}, after it ${show(after)}, difference ${showDifference(difference)}`;
}

function percent(figure: EstimatedFigure | null): string {
  return shown(figure, (value) => `${(value * 100).toFixed(1)} %`);
}

function points(figure: EstimatedFigure | null): string {
  return shown(figure, (value) => `${value >= 0 ? "+" : ""}${(value * 100).toFixed(1)} points`);
}

function plain(figure: EstimatedFigure | null): string {
  return shown(figure, (value) => value.toFixed(2));
}

function shown(figure: EstimatedFigure | null, show: (value: number) => string): string {
  if (figure === null) return "unknown";
  const { value, ci } = figure;
  return ci === null ? show(value) : `${show(value)} [${show(ci[0])}, ${show(ci[1])}]`;
}

/** How many outputs are the same, and where the others part. */
export function describeLossless(comparisons: readonly ArmComparison[]): string {
  return comparisons
    .flatMap(({ a, b, compared, identical, divergences, unpaired }) => [
      `${b} against ${a}: ${identical} of ${compared} outputs are the same`,
      ...divergences.map(({ promptId, token, character, a: left, b: right, gap, verdict }) => {
        const where = token === null ? `character ${character}` : `token ${token}`;
        const how = gap === null ? "no log-probabilities tell why" : `${verdict}, log gap ${gap.toFixed(3)}`;
        return `  ${promptId} parts at ${where}: ${JSON.stringify(left)} and ${JSON.stringify(right)} (${how})`;
      }),
      ...(unpaired.length === 0 ? [] : [`  in one arm only: ${unpaired.join(", ")}`]),
    ])
    .map((line) => `${line}\n`)
    .join("");
}
