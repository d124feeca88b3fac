import { setTimeout as sleep } from "node:timers/promises";
import type { BenchConfig } from "@onpar/bench-config";
import type { Engine } from "@onpar/engine-binding";
import { z } from "zod";
import { serverRoot } from "../../base-url.ts";
import { messageOf, RunError } from "../../errors.ts";
import type { RungPrompt } from "../../ladders/rung.ts";
import { createPromptRenderer } from "../../template.ts";
import type { LosslessArm, LosslessOutput } from "./arm.ts";

/** How the outputs of an arm are collected. */
export interface CollectOptions {
  readonly name: string;
  readonly config: BenchConfig;
  readonly prompts: readonly RungPrompt[];
  readonly apiKey: string | null;
  /** The engine for the endpoint `engine`; null for a server. */
  readonly engine: Engine | null;
  /** In process: whether this arm drafts. Over HTTP the server decides. */
  readonly speculate: boolean;
  /** Requests that run beside each measured one, so that batches have other sizes. 0 for none. */
  readonly background: number;
  readonly signal?: AbortSignal | undefined;
  readonly onOutput?: ((done: number, total: number) => void) | undefined;
}

type AskOne = (prompt: RungPrompt, signal: AbortSignal | undefined) => Promise<LosslessOutput>;

/** Alternatives that are asked for at each place: enough to see the other arm's choice of a near-tie. */
const TOP_LOGPROBS = 2;

/**
 * The outputs of all prompts, one after the other, greedy, with the log-probabilities of the tokens where the system gives them.
 *
 * @throws {RunError} `REQUEST_REFUSED` naming the prompt that could not be answered
 */
export async function collectArm(options: CollectOptions): Promise<LosslessArm> {
  const { name, prompts, engine, background, signal, onOutput } = options;
  const ask: AskOne = engine === null ? askServer(options) : await askEngine(engine, options);
  const outputs: LosslessOutput[] = [];
  const stop = new AbortController();
  const noise = Promise.all(
    Array.from({ length: background }, (_, lane) => keepBusy(ask, prompts, lane, stop.signal)),
  );
  try {
    for (const prompt of prompts) {
      signal?.throwIfAborted();
      outputs.push(await ask(prompt, signal));
      onOutput?.(outputs.length, prompts.length);
    }
  } finally {
    stop.abort();
    await noise;
  }
  return { name, outputs };
}

/** Sends other prompts, one after the other, until it is stopped. What comes back does not matter. */
async function keepBusy(
  ask: AskOne,
  prompts: readonly RungPrompt[],
  lane: number,
  signal: AbortSignal,
): Promise<void> {
  for (let turn = lane; !signal.aborted; turn++) {
    const prompt = prompts[(turn * 7 + 3) % prompts.length];
    if (prompt === undefined) return;
    try {
      await ask({ id: "background", text: `Note ${turn}. ${prompt.text}` }, signal);
    } catch {
      await sleep(20);
    }
  }
}

async function askEngine(engine: Engine, { config, speculate }: CollectOptions): Promise<AskOne> {
  const renderer = await createPromptRenderer(config, {
    engine,
    serverTemplate: () => Promise.resolve(null),
  });
  const maxTokens = config.maxTokens ?? config.outputLen;
  const { maxLogprobs } = engine.info.capabilities;
  return async ({ id, text }, signal) => {
    const tokens: string[] = [];
    const logprobs: number[] = [];
    const top: { token: string; logprob: number }[][] = [];
    const words = (tokenId: number): string => engine.detokenize([tokenId], { renderSpecial: true });
    let whole = "";
    let finish: string | null = null;
    const rendered = renderer.render({ id, kind: "text", text, tokens: null });
    if (rendered.kind !== "text")
      throw new RunError("TEMPLATE_FAILED", `the prompt ${id} was not rendered to a text`);
    const request = {
      prompt: rendered.text,
      ...(engine.info.capabilities.addSpecial === "chosen" ? { addSpecial: rendered.addSpecialTokens } : {}),
      maxTokens,
      ignoreEos: config.ignoreEos,
      speculate,
      ...(maxLogprobs === null ? {} : { logprobs: Math.min(TOP_LOGPROBS, maxLogprobs) }),
    };
    for await (const batch of engine.generate(request, signal)) {
      whole += batch.text;
      for (const tokenId of batch.tokenIds ?? []) tokens.push(words(tokenId));
      for (const one of batch.logprobs ?? []) {
        logprobs.push(one.logprob);
        top.push(one.top.map(({ tokenId, logprob }) => ({ token: words(tokenId), logprob })));
      }
      finish = batch.finish?.reason ?? finish;
    }
    signal?.throwIfAborted();
    const isTold = logprobs.length === tokens.length && tokens.length > 0;
    return {
      promptId: id,
      text: whole,
      tokens: tokens.length > 0 ? tokens : null,
      logprobs: isTold ? logprobs : null,
      top: isTold ? top : null,
      finish,
    };
  };
}

const alternative = z.looseObject({ token: z.string(), logprob: z.number() });

const chatSchema = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        message: z.looseObject({
          content: z.string().nullish(),
          reasoning_content: z.string().nullish(),
          reasoning: z.string().nullish(),
        }),
        finish_reason: z.string().nullish(),
        logprobs: z
          .looseObject({
            content: z
              .array(
                alternative.extend({ logprob: z.number(), top_logprobs: z.array(alternative).nullish() }),
              )
              .nullish(),
          })
          .nullish(),
      }),
    )
    .min(1),
});

const textSchema = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        text: z.string(),
        finish_reason: z.string().nullish(),
        logprobs: z
          .looseObject({
            tokens: z.array(z.string()).nullish(),
            token_logprobs: z.array(z.number().nullable()).nullish(),
            top_logprobs: z.array(z.record(z.string(), z.number()).nullable()).nullish(),
          })
          .nullish(),
      }),
    )
    .min(1),
});

function askServer({ config, apiKey }: CollectOptions): AskOne {
  const root = serverRoot(config.target.baseUrl);
  const isChat = config.target.endpoint === "chat-completions";
  const url = `${root}/v1/${isChat ? "chat/completions" : "completions"}`;
  const common = {
    ...(config.target.model === null ? {} : { model: config.target.model }),
    max_tokens: config.maxTokens ?? config.outputLen,
    temperature: 0,
    seed: config.seed,
    stream: false,
    ...(config.ignoreEos ? { ignore_eos: true } : {}),
    ...config.target.extraBody,
  };
  return async ({ id, text }, signal) => {
    const body = isChat
      ? {
          ...common,
          messages: [{ role: "user", content: text }],
          logprobs: true,
          top_logprobs: TOP_LOGPROBS,
          ...(Object.keys(config.chatTemplateKwargs).length === 0
            ? {}
            : { chat_template_kwargs: config.chatTemplateKwargs }),
        }
      : { ...common, prompt: text, logprobs: TOP_LOGPROBS };
    const json = await post(url, body, { config, apiKey, id, signal });
    const output = isChat ? chatOutput(json) : textOutput(json);
    if (output !== null) return { promptId: id, ...output };
    throw new RunError("REQUEST_REFUSED", `${url} answered the prompt ${id} with no completion`);
  };
}

type Told = Omit<LosslessOutput, "promptId">;

function chatOutput(json: unknown): Told | null {
  const choice = chatSchema.safeParse(json).data?.choices[0];
  if (choice === undefined) return null;
  const { content, reasoning_content: other, reasoning = other } = choice.message;
  const places = choice.logprobs?.content ?? null;
  return {
    text: `${reasoning ?? ""}${content ?? ""}`,
    tokens: places?.map(({ token }) => token) ?? null,
    logprobs: places?.map(({ logprob }) => logprob) ?? null,
    top:
      places?.map(({ top_logprobs: list }) =>
        (list ?? []).map(({ token, logprob }) => ({ token, logprob })),
      ) ?? null,
    finish: choice.finish_reason ?? null,
  };
}

function textOutput(json: unknown): Told | null {
  const choice = textSchema.safeParse(json).data?.choices[0];
  if (choice === undefined) return null;
  const {
    tokens = null,
    token_logprobs: logprobs = null,
    top_logprobs: lists = null,
  } = choice.logprobs ?? {};
  return {
    text: choice.text,
    tokens,
    logprobs,
    top:
      lists?.map((list) =>
        Object.entries(list ?? {})
          .map(([token, logprob]) => ({ token, logprob }))
          .toSorted((a, b) => b.logprob - a.logprob),
      ) ?? null,
    finish: choice.finish_reason ?? null,
  };
}

interface PostContext {
  readonly config: BenchConfig;
  readonly apiKey: string | null;
  readonly id: string;
  readonly signal: AbortSignal | undefined;
}

/** Answers with log-probabilities of a few thousand tokens. */
const BODY_LIMIT = 64 * 2 ** 20;

async function post(
  url: string,
  body: object,
  { config, apiKey, id, signal }: PostContext,
): Promise<unknown> {
  const limit = AbortSignal.timeout(config.requestTimeoutMs);
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        ...config.target.headers,
        "content-type": "application/json",
        ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify(body),
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    });
    const text = await boundedText(response);
    if (!response.ok)
      throw new RunError(
        "REQUEST_REFUSED",
        `${url} answers ${response.status} to the prompt ${id}: ${text.slice(0, 200)}`,
      );
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof RunError) throw error;
    if (signal?.aborted === true)
      throw new RunError("INTERRUPTED", "interrupted before all prompts were answered");
    throw new RunError("REQUEST_REFUSED", `${url} did not answer the prompt ${id}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > BODY_LIMIT) throw new Error(`the answer is larger than ${BODY_LIMIT} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
