import { compileChatTemplate } from "@onpar/chat-render";
import { templateSha256 } from "@onpar/chat-render/node";
import { readSpecDecodeCounts, scrapeMetrics, type MetricsSnapshot } from "@onpar/metrics-client";
import type { ControlClient } from "../control-client.ts";
import { messageOf } from "../errors.ts";
import { fetchDraftBudget, fetchServerTemplate } from "../preflight.ts";
import { userMessage } from "../prompt.ts";
import { serverTokenCounter, type TokenCounter } from "../token-counter.ts";
import { PROBE_TEXT, type Asker } from "./asker.ts";
import { no, unknown, yes, type ProbeCheck } from "./probe-result.ts";

export interface ServerProbe {
  readonly control: ControlClient;
  readonly model: string;
  /** Engine by its dialect; null when it cannot be told. */
  readonly engine: string | null;
  /** How metrics are switched on there, as the end of a sentence. */
  readonly enabling: string | null;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

export async function checkTokenizer(
  probe: ServerProbe,
): Promise<{ check: ProbeCheck; counter: TokenCounter | null }> {
  const counter = await serverTokenCounter(probe.control, probe.model, probe.signal);
  const check =
    counter === null
      ? no(
          "tokenize",
          "POST /tokenize does not count",
          "prompt lengths are estimated: bring prompts with --dataset-path",
        )
      : yes("tokenize", "POST /tokenize counts");
  return { check, counter };
}

/** The template in force: its hash, and what it makes of a known message beside what the server counts. */
export async function checkTemplate(
  { control, signal }: ServerProbe,
  counter: TokenCounter | null,
  asker: Asker,
): Promise<ProbeCheck> {
  const name = "template";
  const told = await fetchServerTemplate(control, signal);
  const answer = await asker.chat({ max_tokens: 1 });
  const served = answer.usage?.promptTokens ?? null;
  const counted = served === null ? "prompt tokens not told" : `${served} prompt tokens for a known message`;
  if (told === null) {
    const advice =
      "two servers' templates can only be compared by these counts: name yours with --chat-template";
    return unknown(name, `not given away; ${counted}`, advice);
  }
  const sha = `sha256 ${templateSha256(told.text).slice(0, 16)}`;
  if (served === null || counter === null) return unknown(name, `${sha}; ${counted}`);
  let own: number;
  try {
    const { text } = compileChatTemplate(told.text).render(userMessage(PROBE_TEXT), {
      addGenerationPrompt: true,
      specialTokens: told.specialTokens,
    });
    own = await counter.count(text, signal);
  } catch (error) {
    return unknown(name, `${sha}; cannot be rendered here: ${messageOf(error)}`);
  }
  // BOS is put there by the template or by the tokenizer.
  return Math.abs(own - served) <= 1
    ? yes(name, `${sha}; ${served} prompt tokens for a known message, ${own} when rendered here`)
    : no(
        name,
        `${sha}; ${served} prompt tokens for a known message, ${own} when rendered here`,
        "the server renders something else than the template that it gives away: compare with `onpar render`",
      );
}

const UNIQUE_PROMPTS = "make prompts unique with --cache nonce";

/** Only looks whether there is a way: nothing is reset. */
export async function checkCacheReset({ control, engine, signal }: ServerProbe): Promise<ProbeCheck> {
  const name = "prefix-cache reset";
  if (engine === "sglang") return unknown(name, "POST /flush_cache, by the engine's documents; not tried");
  if (engine === "llama-cpp") {
    const { status } = await control.get("/slots", signal);
    return status === 200
      ? yes(name, "slots can be erased, and cache_prompt false is taken")
      : unknown(name, `GET /slots answered ${status}`, "send cache_prompt false with --extra-body");
  }
  // A route that takes POST only answers GET with 405.
  const { status } = await control.get("/reset_prefix_cache", signal);
  if (status === 405 || status === 200) return yes(name, "POST /reset_prefix_cache is there; not tried");
  if (status === 401 || status === 403)
    return unknown(name, `/reset_prefix_cache asks for another key (${status})`, UNIQUE_PROMPTS);
  const advice =
    engine === "vllm" ? `start it with VLLM_SERVER_DEV_MODE=1, or ${UNIQUE_PROMPTS}` : UNIQUE_PROMPTS;
  return no(name, `no route for it (${status})`, advice);
}

export async function checkMetrics({
  control,
  enabling,
  timeoutMs,
  signal,
}: ServerProbe): Promise<{ check: ProbeCheck; page: MetricsSnapshot | null }> {
  const url = `${control.root}/metrics`;
  try {
    const page = await scrapeMetrics(url, {
      headers: control.headers,
      dispatcher: control.dispatcher,
      timeoutMs,
      ...(signal === undefined ? {} : { signal }),
    });
    return { check: yes("metrics", `${page.samples.length} samples at ${url}`), page };
  } catch (error) {
    signal?.throwIfAborted();
    const advice = "foreign traffic and restarts go unseen" + (enabling === null ? "" : `: ${enabling}`);
    return { check: no("metrics", messageOf(error), advice), page: null };
  }
}

/** Where acceptance comes from, and the draft budget. After the generations: then something has been drafted. */
export async function checkAcceptance(probe: ServerProbe, asker: Asker): Promise<ProbeCheck[]> {
  const { control, signal } = probe;
  const { page } = await checkMetrics(probe);
  const counts = page === null ? null : readSpecDecodeCounts(page.samples);
  const own = asker.acceptance;
  const sources = [
    ...(counts !== null ? [`metrics page (${counts.draftTokens} drafted so far)`] : []),
    ...(own !== null ? [`each answer (${own.acceptedTokens} of ${own.draftTokens} in one)`] : []),
  ];
  const drafts = (counts?.draftTokens ?? 0) > 0 || (own?.draftTokens ?? 0) > 0;
  const budget = await fetchDraftBudget(control, signal);
  return [
    sources.length === 0
      ? no(
          "acceptance",
          "no counts of drafts",
          "the server does not draft, or does not say so: see its metrics",
        )
      : yes("acceptance", sources.join(" and ") + (drafts ? "" : ": nothing was drafted")),
    budget === null
      ? unknown(
          "draft budget",
          "not told",
          sources.length === 0 ? null : "state it as speculation.draftTokens in a file",
        )
      : yes("draft budget", `${budget} tokens`),
  ];
}
