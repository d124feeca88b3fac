import { benchConfigSchema } from "@onpar/bench-config";
import { detectEngine, probeServer as askServerFacts } from "@onpar/metrics-client";
import { serverRoot } from "../base-url.ts";
import { createControlClient } from "../control-client.ts";
import { preflight } from "../preflight.ts";
import { headersOf, readCa } from "../server-way.ts";
import { isObject } from "../stream/server-message.ts";
import { createAsker, whyUnknown } from "./asker.ts";
import {
  checkKwargs,
  checkSeed,
  checkStopping,
  checkStream,
  checkTokenIds,
  checkUnknownKeys,
} from "./generation-checks.ts";
import { PROBE_SCHEMA, unknown, type ProbeCheck, type ProbeResult } from "./probe-result.ts";
import {
  checkAcceptance,
  checkCacheReset,
  checkMetrics,
  checkTemplate,
  checkTokenizer,
  type ServerProbe,
} from "./server-checks.ts";

export interface ProbeOptions {
  /** Server root, with or without `/v1`. */
  readonly baseUrl: string;
  /** Sent as `Authorization: Bearer …`; null sends no header. Never stored. */
  readonly apiKey: string | null;
  /** Served model name; null takes the first one. */
  readonly model?: string | null | undefined;
  /** Further headers of every request; a value `env:NAME` is read from the environment. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** PEM file with the certificate authority of the server; null takes those of the system. */
  readonly caFile?: string | null | undefined;
  /** Whether the server's certificate goes unchecked. */
  readonly insecureTls?: boolean | undefined;
  /** Name of the variable that the key comes from, for messages. */
  readonly apiKeyEnv?: string | undefined;
  /** Longest wait for one answer, ms, at most 30,000. Default: 10,000. */
  readonly requestTimeoutMs?: number | undefined;
  /** What is not proved by then stays unknown, ms. Default: 60,000. */
  readonly limitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** All checks together send fewer. */
const MOST_GENERATIONS = 24;

/**
 * Finds out what a server is and what a protocol can rely on there, by small requests of at most 64 tokens. Nothing on the server
 * is changed.
 *
 * @throws {RunError} `SERVER_UNREACHABLE`, `SERVER_NOT_READY`, `UNAUTHORISED`, `MODEL_NOT_FOUND`, `TARGET_INVALID`, `INTERRUPTED`
 */
export async function probeServer(options: ProbeOptions): Promise<ProbeResult> {
  const { apiKey, model = null, signal } = options;
  const requestTimeoutMs = options.requestTimeoutMs ?? 10_000;
  const startedMs = performance.now();
  const root = serverRoot(options.baseUrl);
  const control = createControlClient(root, apiKey, requestTimeoutMs, {
    headers: headersOf(options.headers ?? {}),
    ca: await readCa(options.caFile ?? null),
    insecureTls: options.insecureTls === true,
  });
  const target = {
    baseUrl: root,
    model,
    ...(options.apiKeyEnv === undefined ? {} : { apiKeyEnv: options.apiKeyEnv }),
  };
  try {
    const facts = await preflight(benchConfigSchema.parse({ target }), control, signal);
    const said = await askServerFacts(root, {
      headers: control.headers,
      dispatcher: control.dispatcher,
      timeoutMs: requestTimeoutMs,
      ...(signal === undefined ? {} : { signal }),
    });
    const server = { control, model: facts.model, timeoutMs: requestTimeoutMs, signal };
    const first = await checkMetrics({ ...server, engine: null, enabling: null });
    const found = detectEngine(said, first.page === null ? [] : [first.page]);
    const probe: ServerProbe = {
      ...server,
      engine: found.dialect?.engine ?? null,
      enabling: found.dialect?.enabling ?? null,
    };
    const metrics = first.page === null ? await checkMetrics(probe) : first;
    const untilMs = startedMs + (options.limitMs ?? 60_000);
    const asker = createAsker(control, facts.model, { generations: MOST_GENERATIONS, untilMs }, signal);
    const checks: ProbeCheck[] = [];
    const take = async (names: readonly string[], check: () => Promise<ProbeCheck[]>): Promise<void> => {
      try {
        checks.push(...(await check()));
      } catch (error) {
        const why = whyUnknown(error);
        checks.push(...names.map((name) => unknown(name, why)));
      }
    };
    let counter: Awaited<ReturnType<typeof checkTokenizer>>["counter"] = null;
    await take(["tokenize"], async () => {
      const tokenizer = await checkTokenizer(probe);
      counter = tokenizer.counter;
      return [tokenizer.check];
    });
    await take(["streaming usage", "reasoning field"], () => checkStream(asker));
    await take(["ignore_eos", "min_tokens"], () => checkStopping(asker));
    await take(["seed"], async () => [await checkSeed(asker)]);
    await take(["unknown keys"], async () => [await checkUnknownKeys(asker)]);
    await take(["chat_template_kwargs"], async () => [await checkKwargs(asker)]);
    await take(["template"], async () => [await checkTemplate(probe, counter, asker)]);
    await take(["token ids of outputs", "token-id prompts"], () => checkTokenIds(asker));
    await take(["prefix-cache reset"], async () => [await checkCacheReset(probe)]);
    await take(["acceptance", "draft budget"], () => checkAcceptance(probe, asker));
    checks.push(metrics.check);
    return {
      schema: PROBE_SCHEMA,
      url: root,
      engine: {
        name: found.dialect?.title ?? facts.system.engine,
        version: found.version ?? facts.system.version,
        confidence: found.confidence,
        evidence: found.evidence,
      },
      model: facts.model,
      served: facts.served,
      contextLimit: facts.contextLimit ?? contextOf(said.props),
      checks,
      generations: asker.generations,
      durationMs: Math.round(performance.now() - startedMs),
    };
  } finally {
    await control.close();
  }
}

/** llama.cpp tells the context of a slot with its settings. */
function contextOf(props: unknown): number | null {
  const settings = isObject(props) ? props.default_generation_settings : null;
  const size = isObject(settings) ? settings.n_ctx : null;
  return typeof size === "number" && Number.isSafeInteger(size) && size > 0 ? size : null;
}
