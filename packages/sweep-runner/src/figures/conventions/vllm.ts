import type { Slo } from "@onpar/bench-config";
import type { RequestRecord } from "../../record.ts";
import { meets } from "../slo.ts";
import { choiceEvents } from "./events.ts";
import { activeSeconds, PerSecond } from "./per-second.ts";
import { Series } from "./series.ts";
import type { Convention, ConventionFigures, ConventionOptions } from "./convention.ts";

const S = 1e9;
const PERCENTILES = [50, 90, 95, 99];

/**
 * `vllm bench serve`, under its own keys: TTFT is the first event with choices, also one that holds nothing but a role;
 * ITL has one entry per later event, however many tokens it holds; E2EL ends at the last event with choices; the output
 * length is the server's usage, else the count of one tokenisation, else 1; TPOT is (E2EL - TTFT)/(length - 1) for lengths
 * over 1; peaks count events, and requests under way, in seconds from the first start. Statistics of nothing are 0 there.
 *
 * It counts a stream that breaks off with an error after some tokens as a success; records of such requests say that they
 * failed, and are left out here.
 */
export function vllmConvention({ slos = [] }: ConventionOptions): Convention {
  const ttft = new Series();
  const tpot = new Series();
  const itl = new Series();
  const e2el = new Series();
  const queue = new Series();
  const queued = new Series();
  const sent: number[] = [];
  const ended: number[] = [];
  const eventTimes: number[] = [];
  let completed = 0;
  let failed = 0;
  let good = 0;
  let inputTokens = 0;
  let outputTokens = 0;
  let startNs = Infinity;
  let endNs = -Infinity;

  const add = (record: RequestRecord): void => {
    if (record.phase === "warmup") return;
    startNs = Math.min(startNs, record.sentNs ?? record.scheduledNs);
    endNs = Math.max(endNs, record.endNs);
    const events = choiceEvents(record);
    const [first] = events;
    const last = events.at(-1);
    if (record.state !== "ok" || record.sentNs === null || first === undefined || last === undefined) {
      failed++;
      return;
    }
    completed++;
    const length = record.outputTokens ?? 1;
    const latency = (last - record.sentNs) / S;
    const toFirst = (first - record.sentNs) / S;
    const wait = (record.sentNs - record.scheduledNs) / S;
    inputTokens += record.plannedPromptTokens ?? record.usage?.promptTokens ?? 0;
    outputTokens += length;
    ttft.push(toFirst);
    e2el.push(latency);
    queue.push(wait);
    queued.push(latency + wait);
    const perToken = length > 1 ? (latency - toFirst) / (length - 1) : 0;
    if (length > 1) tpot.push(perToken);
    for (let index = 1; index < events.length; index++) {
      itl.push(((events[index] ?? 0) - (events[index - 1] ?? 0)) / S);
    }
    for (const atNs of events) eventTimes.push(atNs);
    sent.push(record.sentNs);
    ended.push(last);
    if (isGood(slos, { ttft: toFirst * 1000, tpot: perToken * 1000, e2el: latency * 1000 })) good++;
  };

  const figures = (): ConventionFigures => {
    const duration = Math.max(0, endNs - startNs) / S;
    const perS = (count: number): number | null => (duration > 0 ? count / duration : null);
    const firstSent = sent.reduce((least, at) => Math.min(least, at), Infinity);
    const seconds = new PerSecond();
    for (const atNs of eventTimes) seconds.add(Math.floor((atNs - firstSent) / S));
    const concurrent = activeSeconds(sent, ended);
    return {
      duration: duration > 0 ? duration : null,
      completed,
      failed,
      total_input_tokens: inputTokens,
      total_output_tokens: outputTokens,
      request_throughput: perS(completed),
      request_goodput: slos.some(perRequest) ? perS(good) : null,
      output_throughput: perS(outputTokens),
      total_token_throughput: perS(inputTokens + outputTokens),
      max_output_tokens_per_s: seconds.most(),
      max_concurrent_requests: concurrent.most(),
      ...statistics("ttft", ttft),
      ...statistics("tpot", tpot),
      ...statistics("itl", itl),
      ...statistics("e2el", e2el),
      ...statistics("client_queue_time", queue),
      ...statistics("e2el_including_client_queue", queued),
    };
  };
  return { add, figures };
}

const perRequest = ({ statistic, metric }: Slo): boolean =>
  statistic === null && (metric === "ttft" || metric === "tpot" || metric === "e2el");

/** It knows limits on TTFT, TPOT and E2EL, ms; an output of one token has a TPOT of 0. */
function isGood(slos: readonly Slo[], values: Readonly<Record<"ttft" | "tpot" | "e2el", number>>): boolean {
  return slos.every((slo) => {
    const { metric, statistic } = slo;
    if (statistic !== null || (metric !== "ttft" && metric !== "tpot" && metric !== "e2el")) return true;
    return meets(slo, values[metric]);
  });
}

function statistics(name: string, series: Series): ConventionFigures {
  const { mean, std, percentile } = series.statistics(0);
  const ms = (value: number | null): number | null => (value === null ? null : value * 1000);
  return {
    [`mean_${name}_ms`]: ms(mean),
    [`median_${name}_ms`]: ms(percentile(50)),
    [`std_${name}_ms`]: ms(std),
    ...Object.fromEntries(PERCENTILES.map((q) => [`p${q}_${name}_ms`, ms(percentile(q))])),
  };
}
