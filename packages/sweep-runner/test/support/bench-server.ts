import { setTimeout as sleep } from "node:timers/promises";
import type { ServerResponse } from "node:http";
import {
  DONE,
  event,
  sendJson,
  startServer,
  stream,
  type Responder,
  type ScriptedServer,
} from "./scripted-server.ts";

export interface BenchServerOptions {
  /** Obeys `ignore_eos`; otherwise every output ends after `naturalLength` tokens. */
  readonly obeysIgnoreEos?: boolean;
  readonly naturalLength?: number;
  /** Sends usage at the end. */
  readonly usage?: boolean;
  /** Time before the first token, ms. */
  readonly delayMs?: number;
  /** Accepted per verify step of 3 drafts; without it the page has no speculative counters. */
  readonly acceptedPerStep?: number;
  /** Requests that others finish while a measured one runs. */
  readonly foreignRequests?: number;
  /** Has `POST /tokenize`, which counts words and single punctuation marks. */
  readonly tokenizes?: boolean;
  readonly cachedShare?: number;
  readonly contextLimit?: number;
  readonly routes?: Readonly<Record<string, Responder>>;
}

export interface BenchServer extends ScriptedServer {
  /** Most completions that were in flight at once. */
  readonly mostInFlight: number;
  readonly inFlight: number;
}

interface Body {
  readonly max_tokens: number;
  readonly ignore_eos?: boolean;
  readonly prompt?: string | readonly number[];
  readonly messages?: readonly { readonly content: string }[];
}

/** A small OpenAI-compatible server: one word per token, counters as vLLM publishes them. */
export async function startBenchServer(options: BenchServerOptions = {}): Promise<BenchServer> {
  const counters = { finished: 0, drafts: 0, drafted: 0, accepted: 0, prompt: 0, generated: 0 };
  let inFlight = 0;
  let mostInFlight = 0;

  const complete = async (raw: string, chat: boolean, response: ServerResponse): Promise<void> => {
    const body = JSON.parse(raw) as Body;
    inFlight++;
    mostInFlight = Math.max(mostInFlight, inFlight);
    response.on("close", () => inFlight--);
    if (options.delayMs !== undefined) await sleep(options.delayMs);
    const natural = Math.min(options.naturalLength ?? 2, body.max_tokens);
    const length = body.ignore_eos === true && options.obeysIgnoreEos !== false ? body.max_tokens : natural;
    const finish = length === body.max_tokens ? "length" : "stop";
    const given = body.prompt ?? body.messages?.map(({ content }) => content).join(" ") ?? "";
    const promptTokens = (typeof given === "string" ? countTokens(given) : given.length) + (chat ? 4 : 0);
    const choice = (word: string, end: string | null): string =>
      event({
        choices: [
          {
            index: 0,
            ...(chat ? { delta: word === "" ? {} : { content: word } } : { text: word }),
            finish_reason: end,
            ...(end === null ? {} : { stop_reason: null }),
          },
        ],
      });
    const parts = Array.from({ length }, (_, index) => choice(`w${index} `, null));
    parts.push(choice("", finish));
    if (options.usage !== false) {
      const cached = Math.floor(promptTokens * (options.cachedShare ?? 0));
      const usage = {
        prompt_tokens: promptTokens,
        completion_tokens: length,
        total_tokens: promptTokens + length,
        prompt_tokens_details: { cached_tokens: cached },
      };
      parts.push(event({ choices: [], usage }));
    }
    counters.finished += 1 + (options.foreignRequests ?? 0);
    counters.prompt += promptTokens;
    counters.generated += length;
    if (options.acceptedPerStep !== undefined) {
      const steps = Math.ceil((length - 1) / (1 + options.acceptedPerStep));
      counters.drafts += steps;
      counters.drafted += 3 * steps;
      counters.accepted += options.acceptedPerStep * steps;
    }
    await stream(response, [...parts, DONE]);
  };

  const metrics: Responder = (_, response) => {
    const accepted = options.acceptedPerStep ?? 0;
    const lines = [
      `vllm:request_success_total{finished_reason="stop"} ${counters.finished}`,
      `vllm:prompt_tokens_total ${counters.prompt}`,
      `vllm:generation_tokens_total ${counters.generated}`,
      `vllm:num_requests_running ${inFlight}`,
      ...(options.acceptedPerStep === undefined
        ? []
        : [
            `vllm:spec_decode_num_drafts_total ${counters.drafts}`,
            `vllm:spec_decode_num_draft_tokens_total ${counters.drafted}`,
            `vllm:spec_decode_num_accepted_tokens_total ${counters.accepted}`,
            ...[0, 1, 2].map(
              (position) =>
                `vllm:spec_decode_num_accepted_tokens_per_pos_total{position="${position}"} ${position < accepted ? counters.drafts : 0}`,
            ),
          ]),
    ];
    response.writeHead(200, { "content-type": "text/plain; version=0.0.4" });
    response.end(`${lines.join("\n")}\n`);
  };

  const tokenize: Responder = ({ body }, response) => {
    const { prompt } = JSON.parse(body) as { prompt?: string };
    sendJson(response, 200, { count: countTokens(prompt ?? ""), max_model_len: 4096 });
  };

  const server = await startServer({
    "/v1/models": (_, response) => {
      const model = { id: "demo-model", owned_by: "vllm", max_model_len: options.contextLimit ?? 4096 };
      sendJson(response, 200, { data: [model] });
    },
    "/version": (_, response) => sendJson(response, 200, { version: "9.9" }),
    "/v1/completions": ({ body }, response) => complete(body, false, response),
    "/v1/chat/completions": ({ body }, response) => complete(body, true, response),
    "/metrics": metrics,
    ...(options.tokenizes === false ? {} : { "/tokenize": tokenize }),
    ...options.routes,
  });
  return {
    url: server.url,
    requests: server.requests,
    get completions() {
      return server.completions;
    },
    get connections() {
      return server.connections;
    },
    get mostInFlight() {
      return mostInFlight;
    },
    get inFlight() {
      return inFlight;
    },
    close: () => server.close(),
  };
}

/** Words longer than five letters are two tokens; every punctuation mark is one. */
export function countTokens(text: string): number {
  let tokens = 0;
  for (const part of text.match(/\w+|[^\s\w]/g) ?? []) tokens += part.length > 5 ? 2 : 1;
  return tokens;
}
