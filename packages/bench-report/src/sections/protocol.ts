import {
  axisInWords,
  describeDeparture,
  presetDepartures,
  presetNamed,
  type ResolvedTemplate,
} from "@onpar/bench-config";
import type { RunResult } from "@onpar/sweep-runner";

import { count, formatPercent, formatSpan, shortHash } from "../format.ts";
import type { Page } from "../paint.ts";
import { describeRuleResolution, describeValues } from "../stopping-rule.ts";
import { fields } from "../text.ts";

/** What was asked for beside what the requests that were built carried. */
export function protocolLines(result: RunResult, page: Page): string[] {
  return fields(protocolPairs(result), page.width);
}

/** The same as pairs of a name and a text. */
export function protocolPairs(result: RunResult): [string, string][] {
  const { protocol, summary } = result;
  const { workload } = protocol;
  const prompts =
    summary.promptTokens === null ? "unknown" : `${formatSpan(summary.promptTokens)} (min/p50/max)`;
  return [
    ...presetFields(result),
    ["stopping rule", describeRuleResolution(protocol.stoppingRule)],
    ["template", describeTemplate(protocol.template)],
    ["template kwargs", describeKwargs(protocol.template)],
    ["sampling", describeSampling(protocol.sampling)],
    [
      "model",
      `requested ${protocol.model.requested ?? "none (first one listed)"} -> ${protocol.model.resolved ?? "unknown"}`,
    ],
    ["endpoint", axisInWords("endpoint", protocol)],
    [
      "workload",
      `${workload.source}, ${count(workload.prompts, "prompt")}, sha256 ${shortHash(workload.sha256)}; prompt tokens ${prompts}` +
        (result.config.dataset.recordedLengths ? "; outputs capped at their recorded lengths" : ""),
    ],
    ...promptFields(result),
    ["load", describeLoad(result)],
    ["speculation", describeSpeculation(result)],
  ];
}

/** The published protocol that the run started from, and every setting that left it. */
function presetFields({ config }: RunResult): [string, string][] {
  const preset = config.preset === null ? undefined : presetNamed(config.preset);
  if (preset === undefined) return [];
  const departures = presetDepartures(config).map(describeDeparture);
  const kept = departures.length === 0 ? "kept" : `left: ${departures.join("; ")}`;
  return [["preset", `${preset.name} (${preset.source.date}), ${kept}`]];
}

/** What prompts share, and how conversations are played; nothing where neither is so. */
function promptFields({ config: { dataset } }: RunResult): [string, string][] {
  const { kind, turns, history, turnDelayMs, hitRate, sharedPrefixLen, prefixGroups } = dataset;
  const groups = count(prefixGroups, "group");
  const told: [string, string][] = [];
  if (kind === "multi-turn" || (turns ?? 1) > 1) {
    const answers = history === "live" ? "the server's own answers" : "the answers of the file";
    const pause = turnDelayMs === 0 ? "" : `, ${turnDelayMs} ms of pause before each`;
    told.push(["turns", `${turns ?? "all"} of each conversation, later ones after ${answers}${pause}`]);
  }
  if (hitRate !== null)
    told.push(["hit rate asked", `${formatPercent(hitRate)} of the prompt tokens, ${groups}`]);
  else if (sharedPrefixLen > 0) told.push(["shared prefix", `${sharedPrefixLen} tokens, ${groups}`]);
  return told;
}

function describeLoad({ protocol }: RunResult): string {
  const { load } = protocol;
  if (load.kind !== "closed-loop") return `${axisInWords("load", protocol)} (never measured)`;
  const facts = [
    `${load.concurrency ?? "unknown"} in flight`,
    ...(typeof load.durationS === "number" ? [`for ${load.durationS} s`] : []),
    ...(load.startTogether === true ? ["started together"] : []),
    ...(load.retries == null
      ? []
      : [`at most ${load.retries === 1 ? "1 retry" : `${load.retries} retries`}`]),
    count(load.warmupRequests, "warm-up request"),
  ];
  return `closed loop, ${facts.join(", ")} (never measured)`;
}

/** How the conversation became a prompt: asked for, and done. */
export function describeTemplate(template: ResolvedTemplate): string {
  const { skipChatTemplate, chatTemplate } = template.requested;
  const requested = `skip_chat_template requested ${skipChatTemplate}, chat_template requested ${
    chatTemplate === null ? "none" : shorten(chatTemplate)
  }`;
  const done = {
    none: "none: prompts sent as they are",
    "client-side": "rendered by this client",
    "server-side": "rendered by the server",
  }[template.mode];
  const source = template.source === null ? "" : `, source ${shorten(template.source)}`;
  const hash =
    template.sha256 === null
      ? template.mode === "none"
        ? ""
        : ", sha256 unknown"
      : `, sha256 ${shortHash(template.sha256)}`;
  return `${requested} -> ${done}${source}${hash}`;
}

/** Variables as they were sent or rendered with. `enable_thinking` is always named: unset is not false. */
export function describeKwargs(template: ResolvedTemplate): string {
  if (template.mode === "none") return "not used";
  const set = describeValues(template.kwargs);
  if (Object.hasOwn(template.kwargs, "enable_thinking")) return set;
  return set === "" ? "none set; enable_thinking unset" : `${set}; enable_thinking unset`;
}

/** Every value that was sent. */
export function describeSampling(sampling: RunResult["protocol"]["sampling"]): string {
  const greedy = sampling.temperature === 0 ? " (greedy)" : "";
  return [
    `temperature=${sampling.temperature}${greedy}`,
    `top_p=${sampling.topP}`,
    `top_k=${sampling.topK}`,
    `min_p=${sampling.minP}`,
    `repetition_penalty=${sampling.repetitionPenalty}`,
    `presence_penalty=${sampling.presencePenalty}`,
    `frequency_penalty=${sampling.frequencyPenalty}`,
    `seed=${sampling.seed}`,
  ].join(", ");
}

function describeSpeculation(result: RunResult): string {
  const { observed, draftBudget } = result.protocol.speculation;
  const budget = draftBudget === null ? "draft budget unknown" : `draft budget ${draftBudget}`;
  if (observed === null) return `unknown; ${budget}`;
  return observed ? `on, drafting observed; ${budget}` : "no drafting observed";
}

/** A literal template can be a whole file on one line. */
function shorten(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 77)}...`;
}
