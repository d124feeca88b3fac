import type { RequestRecord } from "../../record.ts";
import { textEvents } from "./events.ts";
import { activeSeconds, PerSecond } from "./per-second.ts";
import { Series } from "./series.ts";
import type { Convention, ConventionFigures, ConventionOptions } from "./convention.ts";

const S = 1e9;
/** Of one event; a count above it is none. */
const MOST_TOKENS = 100_000;

/**
 * `sglang.bench_serving`, under its own keys: a new connection for each request, so that opening it
 * lies in every TTFT; TTFT is the first event with text of any channel; the latency ends with the last line of the stream,
 * `[DONE]` included; the output length is the server's usage, else the length that was asked for; TPOT is
 * (latency - TTFT)/(length - 1); ITL is the gap between events with text; peaks count the first of those events and one for each
 * gap. On its own endpoint a gap is divided evenly among the tokens that came after it, and an event without a new token is passed
 * over. It writes no count of failed requests.
 */
export function sglangConvention({ cap, endpoint }: ConventionOptions): Convention {
  const isNative = endpoint === "sglang-generate";
  const ttft = new Series();
  const tpot = new Series();
  const itl = new Series();
  const latencies = new Series();
  const seconds: number[] = [];
  const sent: number[] = [];
  const ended: number[] = [];
  let completed = 0;
  let inputTokens = 0;
  let outputTokens = 0;
  let startNs = Infinity;
  let endNs = -Infinity;

  const add = (record: RequestRecord): void => {
    if (record.phase === "warmup") return;
    startNs = Math.min(startNs, record.sentNs ?? record.scheduledNs);
    endNs = Math.max(endNs, record.endNs);
    if (record.state !== "ok" || record.sentNs === null) return;
    const events = textEvents(record);
    const begunNs = record.sentNs - (record.connectNs ?? 0);
    const latency = (record.endNs - begunNs) / S;
    const length = record.usage?.completionTokens ?? record.plannedOutputTokens ?? cap;
    // Without an event with text it keeps the 0 that it starts with.
    const toFirst = events[0] === undefined ? 0 : (events[0][0] - begunNs) / S;
    completed++;
    inputTokens += record.plannedPromptTokens ?? record.usage?.promptTokens ?? 0;
    outputTokens += length;
    ttft.push(toFirst);
    latencies.push(latency);
    if (length > 1) tpot.push((latency - toFirst) / (length - 1));
    const [first, ...later] = events;
    let lastNs = first?.[0] ?? 0;
    if (first !== undefined) seconds.push(lastNs);
    for (const [atNs, told] of later) {
      const parts = isNative && told !== null && told <= MOST_TOKENS ? told : 1;
      const partNs = (atNs - lastNs) / parts;
      for (let part = 1; part <= parts; part++) {
        itl.push(partNs / S);
        seconds.push(lastNs + partNs * part);
      }
      if (parts > 0) lastNs = atNs;
    }
    sent.push(begunNs);
    ended.push(record.endNs);
  };

  const figures = (): ConventionFigures => {
    const duration = Math.max(0, endNs - startNs) / S;
    const perS = (count: number): number | null => (duration > 0 ? count / duration : null);
    const peak = new PerSecond();
    const firstSent = sent.reduce((least, at) => Math.min(least, at), Infinity);
    for (const atNs of seconds) peak.add(Math.floor((atNs - firstSent) / S));
    const concurrent = activeSeconds(sent, ended);
    return {
      duration: duration > 0 ? duration : null,
      completed,
      total_input_tokens: inputTokens,
      total_output_tokens: outputTokens,
      request_throughput: perS(completed),
      input_throughput: perS(inputTokens),
      output_throughput: perS(outputTokens),
      total_throughput: perS(inputTokens + outputTokens),
      concurrency: perS(latencies.sum()),
      max_output_tokens_per_s: peak.most(),
      max_concurrent_requests: concurrent.most(),
      ...statistics("e2e_latency", latencies),
      ...statistics("ttft", ttft),
      ...statistics("tpot", tpot),
      ...statistics("itl", itl),
    };
  };
  return { add, figures };
}

function statistics(name: string, series: Series): ConventionFigures {
  const { mean, std, percentile } = series.statistics(0);
  const ms = (value: number | null): number | null => (value === null ? null : value * 1000);
  return {
    [`mean_${name}_ms`]: ms(mean),
    [`median_${name}_ms`]: ms(percentile(50)),
    [`std_${name}_ms`]: ms(std),
    [`p90_${name}_ms`]: ms(percentile(90)),
    [`p95_${name}_ms`]: ms(percentile(95)),
    [`p99_${name}_ms`]: ms(percentile(99)),
  };
}
