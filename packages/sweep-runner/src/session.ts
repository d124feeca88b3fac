import type { BenchConfig } from "@onpar/bench-config";
import type { Engine, EngineInfo } from "@onpar/engine-binding";
import { serverRoot } from "./base-url.ts";
import { resetEngineCache, resetServerCache } from "./cache-reset.ts";
import type { Timeline } from "./clock.ts";
import { createControlClient } from "./control-client.ts";
import { createEngineTarget, type OnTokenIds } from "./targets/engine-target.ts";
import { RunError } from "./errors.ts";
import { doubledBos, logprobFields, openServerTarget } from "./targets/open-target.ts";
import type { UnsentSetting } from "./targets/native-endpoint.ts";
import {
  loadLocalTokenizer,
  requireTokenizerFile,
  type GgufTokenizerLoader,
  type LocalTokenizer,
} from "./local-tokenizer.ts";
import { fetchDraftBudget, fetchServerTemplate, preflight } from "./preflight.ts";
import type { RefusalContext } from "./refusal.ts";
import { checkLogprobs } from "./checks/logprob-check.ts";
import type { EngineSetup, Finding, SystemUnderTest } from "./result.ts";
import { headersOf, readCa } from "./server-way.ts";
import { createServerCounters, type ServerCounters } from "./server-counters.ts";
import type { Target } from "./targets/target.ts";
import { createPromptRenderer, type PromptRenderer } from "./template.ts";
import { engineTokenCounter, serverTokenCounter, type TokenCounter } from "./token-counter.ts";

export interface SessionOptions {
  readonly config: BenchConfig;
  readonly apiKey: string | null;
  readonly engine: Engine | null;
  readonly timeline: Timeline;
  readonly onTokenIds?: OnTokenIds | undefined;
  readonly loadGgufTokenizer?: GgufTokenizerLoader | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A checked system under test, ready for requests. */
export interface Session {
  readonly target: Target;
  readonly renderer: PromptRenderer;
  readonly system: SystemUnderTest;
  readonly model: string | null;
  /** Tokens of prompt and output together; null when it is not known. */
  readonly contextLimit: number | null;
  /** The engine behind the target; null for a server. */
  readonly engine: Engine | null;
  /** The server's metrics page; null for an engine. */
  readonly counters: ServerCounters | null;
  readonly refusal: RefusalContext;
  /** Settings that have no field on this endpoint, so that they were not sent. */
  readonly unsent: readonly UnsentSetting[];
  /** What was seen to have no effect before the run. */
  readonly effects: readonly Finding[];
  /** K as the system was configured; null when it does not tell. */
  draftBudget(): Promise<number | null>;
  /** Empties the prefix cache. @throws {RunError} `TARGET_INVALID` where the system cannot */
  resetCache(signal?: AbortSignal): Promise<void>;
  /** Asks for a tokenizer, when one is needed: the system's own, else one on this side. */
  tokenCounter(): Promise<TokenCounter | null>;
  close(): Promise<void>;
}

/**
 * Checks the system under test and prepares the way to it.
 *
 * @throws {RunError} when the system cannot be reached or cannot take what the configuration asks for
 */
export async function openSession(options: SessionOptions): Promise<Session> {
  return options.config.target.endpoint === "engine"
    ? openEngineSession(options)
    : openServerSession(options);
}

async function openEngineSession({ config, engine, timeline, onTokenIds }: SessionOptions): Promise<Session> {
  if (engine === null)
    throw new RunError("ENGINE_MISSING", "the endpoint is `engine`, and no engine was loaded");
  requireCapabilities(config, engine);
  const renderer = await createPromptRenderer(config, {
    engine,
    serverTemplate: () => Promise.resolve(null),
  });
  const counter = engine.info.capabilities.tokenizer ? engineTokenCounter(engine) : null;
  const { info } = engine;
  return {
    target: createEngineTarget({ engine, config, timeoutMs: timeoutOf(config), timeline, onTokenIds }),
    renderer,
    system: { engine: info.engine, version: info.engineVersion, baseUrl: null, inProcess: setupOf(info) },
    model: info.model.name,
    contextLimit: info.contextSize,
    engine,
    counters: null,
    refusal: { config, where: "the engine", hasKey: false, served: [info.model.name] },
    unsent: [],
    effects: [],
    draftBudget: async () => info.speculation?.draftBudget ?? null,
    resetCache: () => resetEngineCache(engine),
    tokenCounter: async () => counter,
    close: async () => {},
  };
}

function setupOf({ threads, gpu, speculation }: EngineInfo): EngineSetup {
  return { threads, gpu, draftLength: speculation?.draftLength ?? null };
}

/** @throws {RunError} `TARGET_INVALID` for a setting that this engine would leave out */
function requireCapabilities({ minTokens, logprobs }: BenchConfig, { info }: Engine): void {
  const { capabilities, engine } = info;
  if (minTokens > 0 && !capabilities.minTokens)
    throw new RunError(
      "TARGET_INVALID",
      `--min-tokens ${minTokens}: ${engine} has no least length of an output`,
    );
  const most = capabilities.maxLogprobs;
  if (logprobs === null || (most !== null && logprobs <= most)) return;
  const has = most === null ? "gives no log-probabilities" : `gives at most ${most} for each token`;
  throw new RunError("TARGET_INVALID", `--logprobs ${logprobs}: ${engine} ${has}`);
}

/** A line break from a file read too simply is the usual reason; the HTTP client would call it a bad header. */
function refuseUnsendableKey(apiKey: string | null, variable: string): void {
  if (apiKey === null || /^[\x21-\x7e]+$/.test(apiKey)) return;
  throw new RunError(
    "UNAUTHORISED",
    `the key in ${variable} holds a space, a line break or another character that no HTTP header can carry: set it anew`,
  );
}

/** Node's timers hold 31 bits of milliseconds; a longer one would fire at once. */
function timeoutOf(config: BenchConfig): number {
  return Math.min(config.requestTimeoutMs, 2 ** 31 - 1);
}

async function openServerSession(options: SessionOptions): Promise<Session> {
  const { config, apiKey, timeline, signal } = options;
  const { metricsUrl, metricsUrls } = config.target;
  const root = serverRoot(config.target.baseUrl);
  refuseUnsendableKey(apiKey, config.target.apiKeyEnv);
  const metricsPages = [metricsUrl ?? `${root}/metrics`, ...metricsUrls];
  const headers = headersOf(config.target.headers);
  const ca = await readCa(config.target.caFile);
  const { insecureTls } = config.target;
  const control = createControlClient(root, apiKey, timeoutOf(config), { headers, ca, insecureTls });
  try {
    const facts = await preflight(config, control, signal);
    const renderer = await createPromptRenderer(config, {
      engine: null,
      serverTemplate: () => fetchServerTemplate(control, signal),
    });
    const { target, path, unsent } = openServerTarget({
      config,
      apiKey,
      root,
      headers,
      ca,
      timeoutMs: timeoutOf(config),
      timeline,
      model: facts.model,
      engine: facts.system.engine,
      bosText: await doubledBos(config, control, { model: facts.model, bosText: renderer.bosText }, signal),
    });
    const tokenizer = tokenizerBeside(options);
    const asking = { model: facts.model, fields: logprobFields(config) };
    return {
      target,
      renderer,
      system: facts.system,
      model: facts.model,
      contextLimit: facts.contextLimit,
      engine: null,
      counters: createServerCounters(
        metricsPages.map((url) => ({ url, headers: isSameOrigin(url, root) ? control.headers : {} })),
        control.dispatcher,
      ),
      refusal: { config, where: `${root}${path}`, hasKey: apiKey !== null, served: facts.served },
      unsent,
      effects: await checkLogprobs(config, control, asking, signal),
      draftBudget: () => fetchDraftBudget(control, signal),
      resetCache: (resetting) => resetServerCache(control, resetting),
      async tokenCounter() {
        if (config.tokenizer !== null) await requireTokenizerFile(config.tokenizer);
        return (await serverTokenCounter(control, facts.model, signal)) ?? (await tokenizer.load());
      },
      async close() {
        await Promise.all([target.close(), control.close(), tokenizer.close()]);
      },
    };
  } catch (error) {
    await control.close();
    throw error;
  }
}

/** The tokenizer that the configuration names, loaded when it is asked for. */
function tokenizerBeside({ config, loadGgufTokenizer, signal }: SessionOptions): {
  load(): Promise<TokenCounter | null>;
  close(): Promise<void>;
} {
  let loading: Promise<LocalTokenizer> | null = null;
  return {
    async load() {
      if (config.tokenizer === null) return null;
      loading ??= loadLocalTokenizer(config.tokenizer, loadGgufTokenizer ?? null, signal);
      return loading;
    },
    async close() {
      const tokenizer = await loading?.catch(() => null);
      await tokenizer?.dispose();
    },
  };
}

/** The key of one server is no other's business. */
function isSameOrigin(url: string, root: string): boolean {
  return new URL(url).origin === new URL(root).origin;
}
