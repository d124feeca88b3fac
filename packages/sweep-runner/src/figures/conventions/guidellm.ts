import type { RequestRecord } from "../../record.ts";
import { firstAnswerEvent, textEvents } from "./events.ts";
import { Series } from "./series.ts";
import type { Convention, ConventionFigures, ConventionOptions } from "./convention.ts";

const S = 1e9;
const PERCENTILES = [50, 90, 95, 99];

/**
 * GuideLLM, over successful requests and under its own names: TTFT is the first event with text or a tool call, its time to
 * first output token leaves reasoning out; the output length is the server's usage, else the number of events; the time
 * per output token is (last token - start)/length and so contains TTFT; the inter-token latency is
 * (last - first)/(length - 1), one value per request. Latencies are in seconds where the name has no unit.
 */
export function guidellmConvention(_options: ConventionOptions): Convention {
  const latency = new Series();
  const ttft = new Series();
  const ttfo = new Series();
  const tpot = new Series();
  const itl = new Series();
  const perRequest = new Series();
  const prompt = new Series();
  const output = new Series();
  const counts = { successful: 0, errored: 0, incomplete: 0 };
  let startNs = Infinity;
  let endNs = -Infinity;

  const add = (record: RequestRecord): void => {
    if (record.phase === "warmup") return;
    startNs = Math.min(startNs, record.sentNs ?? record.scheduledNs);
    endNs = Math.max(endNs, record.endNs);
    if (record.state !== "ok" || record.sentNs === null) {
      if (record.state === "aborted") counts.incomplete++;
      else counts.errored++;
      return;
    }
    counts.successful++;
    const { sentNs } = record;
    const events = textEvents(record);
    const first = events[0]?.[0];
    const last = events.at(-1)?.[0];
    const length = record.outputTokens ?? events.length;
    const whole = (record.endNs - sentNs) / S;
    latency.push(whole);
    output.push(length);
    const input = record.usage?.promptTokens ?? record.plannedPromptTokens;
    if (input !== null) prompt.push(input);
    if (whole > 0) perRequest.push(length / whole);
    const answer = firstAnswerEvent(record);
    if (answer !== null) ttfo.push((answer - sentNs) / S);
    if (first === undefined || last === undefined) return;
    ttft.push((first - sentNs) / S);
    if (length > 0) tpot.push((last - sentNs) / S / length);
    if (length > 1) itl.push((last - first) / S / (length - 1));
  };

  const figures = (): ConventionFigures => {
    const duration = Math.max(0, endNs - startNs) / S;
    const perS = (count: number): number | null => (duration > 0 ? count / duration : null);
    return {
      "request_totals.successful": counts.successful,
      "request_totals.errored": counts.errored,
      "request_totals.incomplete": counts.incomplete,
      "requests_per_second.mean": perS(counts.successful),
      "request_concurrency.mean": perS(latency.sum()),
      "output_tokens_per_second.mean": perS(output.sum()),
      "tokens_per_second.mean": perS(prompt.sum() + output.sum()),
      ...statistics("request_latency", latency, 1),
      ...statistics("prompt_token_count", prompt, 1),
      ...statistics("output_token_count", output, 1),
      ...statistics("time_to_first_token_ms", ttft, 1000),
      ...statistics("time_to_first_output_token_ms", ttfo, 1000),
      ...statistics("time_per_output_token_ms", tpot, 1000),
      ...statistics("inter_token_latency_ms", itl, 1000),
      ...statistics("output_tokens_per_second.per_request", perRequest, 1),
    };
  };
  return { add, figures };
}

function statistics(name: string, series: Series, factor: number): ConventionFigures {
  const { mean, std, min, max, percentile } = series.statistics(null);
  const scaled = (value: number | null): number | null => (value === null ? null : value * factor);
  return {
    [`${name}.mean`]: scaled(mean),
    [`${name}.median`]: scaled(percentile(50)),
    [`${name}.std_dev`]: scaled(std),
    [`${name}.min`]: scaled(min),
    [`${name}.max`]: scaled(max),
    ...Object.fromEntries(PERCENTILES.map((q) => [`${name}.p${q}`, scaled(percentile(q))])),
  };
}
