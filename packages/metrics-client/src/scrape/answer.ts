import { MetricsError } from "../errors.ts";
import type { ExpositionLimits } from "../exposition/limits.ts";
import { parseMetricsPage } from "../exposition/page.ts";
import type { MetricsPage } from "../exposition/sample.ts";
import { pageOfIterations, parseIterationStats } from "../exposition/iteration-stats.ts";
import { at, textAt } from "../json.ts";
import type { FetchedText } from "./fetch-text.ts";

/** A page as it came out of an answer. */
export interface AnsweredPage extends MetricsPage {
  readonly drained: boolean;
}

/**
 * Makes a page of an answer: Prometheus text, OpenMetrics, text that was sent as one JSON string (llama.cpp builds of
 * November 2025), or TensorRT-LLM's JSON list of iterations. What is told by content comes before what the content type
 * says, since many servers send none or a wrong one.
 *
 * @param movedTo another host that a redirect led to, to which the caller's headers were not sent
 * @throws {MetricsError} for every answer that is no metrics page
 */
export function readAnswer(
  answer: FetchedText,
  limits: ExpositionLimits,
  movedTo: string | null = null,
): AnsweredPage {
  checkStatus(answer, movedTo);
  const { url, body, contentType, status } = answer;
  const start = body.slice(0, 200).trimStart();
  if (/^<(?:!doctype|!--|html|\?xml|head|body)/i.test(start) || /\bhtml\b/.test(contentType)) {
    throw new MetricsError(
      "METRICS_NOT_EXPOSITION",
      `${url} answered a web page, not Prometheus text: behind a login the metrics need a header`,
    );
  }
  if (start === "") {
    throw new MetricsError("METRICS_EMPTY", `${url} answered ${status} with an empty page`);
  }
  if (start.startsWith("[")) return drainedPage(body, url);
  if (start.startsWith('{"') && isJson(body)) throw notText(url);
  const text = start.startsWith('"') ? unescapeJsonText(body, url) : body;
  const format = contentType.includes("application/openmetrics-text") ? "openmetrics" : "auto";
  refuseOneWord(text, url);
  return { ...placed(url, () => parseMetricsPage(text, { ...limits, format })), drained: false };
}

/** `OK`, `Ollama is running`: what a server says at an address that has no page, which is no page that was cut off. */
function refuseOneWord(text: string, url: string): void {
  const line = text.trim();
  if (
    line.length > 200 ||
    line.startsWith("#") ||
    line.includes("\n") ||
    /[\d}"=]|\b(?:nan|inf)\b/i.test(line)
  )
    return;
  throw new MetricsError(
    "METRICS_NOT_EXPOSITION",
    `${url} answered ${JSON.stringify(line)}, which is no metrics page: is this the right port and path?`,
  );
}

function drainedPage(body: string, url: string): AnsweredPage {
  const list = parseJson(body);
  if (!Array.isArray(list)) throw notText(url);
  if (list.length === 0) {
    throw new MetricsError(
      "METRICS_EMPTY",
      `${url} answered an empty JSON list: TensorRT-LLM's statistics are off (enable_iter_perf_stats), no iteration ran, or ` +
        "another reader took them; its Prometheus page is at /prometheus/metrics",
    );
  }
  const stats = placed(url, () => parseIterationStats(list));
  return { ...pageOfIterations(stats), drained: true };
}

function checkStatus(answer: FetchedText, movedTo: string | null): void {
  const { status, statusText, url } = answer;
  if (status >= 200 && status < 300) return;
  const fail = (code: "METRICS_UNAUTHORISED" | "METRICS_NOT_ENABLED" | "METRICS_HTTP_STATUS", what: string) =>
    new MetricsError(code, `${url} answered ${status}${what}`, { status });
  if (status === 401 || status === 403) {
    const why =
      movedTo === null
        ? `: send the key it wants in a header, such as "authorization: Bearer …"`
        : `: it leads to ${movedTo}, to which no key is sent on; give that address itself`;
    throw fail("METRICS_UNAUTHORISED", why);
  }
  if (status === 404) {
    throw fail("METRICS_NOT_ENABLED", ": metrics are not enabled here, or they have another path or port");
  }
  if (status === 501) {
    throw fail("METRICS_NOT_ENABLED", ": metrics are not enabled here (llama-server needs --metrics)");
  }
  const told = serverText(answer);
  throw fail("METRICS_HTTP_STATUS", ` ${statusText}`.trimEnd() + (told === "" ? "" : `: ${told}`));
}

const LONGEST_TOLD = 200;

/** What the server says of its failure, in one line; empty when it says nothing that is short. */
function serverText({ body, contentType }: FetchedText): string {
  if (contentType.includes("html") || body.length > 65_536) return "";
  const value = parseJson(body);
  const error = at(value, "error");
  const said =
    textAt(error, "message") ?? error ?? at(value, "message") ?? at(value, "detail") ?? value ?? body;
  const text = typeof said === "string" ? said.replaceAll(/\s+/g, " ").trim() : "";
  return text.length > LONGEST_TOLD ? `${text.slice(0, LONGEST_TOLD)}…` : text;
}

function unescapeJsonText(body: string, url: string): string {
  const value = parseJson(body);
  if (typeof value === "string") return value;
  throw notText(url);
}

/** Undefined when it is none. */
function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function isJson(body: string): boolean {
  return parseJson(body) !== undefined;
}

function notText(url: string): MetricsError {
  return new MetricsError("METRICS_NOT_EXPOSITION", `${url} answered JSON, not Prometheus text`);
}

/** Puts the address before the place of an error. */
function placed<T>(url: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof MetricsError)) throw error;
    const place =
      error.line === null || error.column === null ? {} : { line: error.line, column: error.column };
    throw new MetricsError(error.code, `${url}: ${error.message}`, { ...place, cause: error });
  }
}
