import type { Endpoint } from "@onpar/bench-config";
import type { Timeline } from "../clock.ts";
import { llamaEndpoint } from "./llama-endpoint.ts";
import type { BodyContext, NativeEndpoint, UnsentSetting } from "./native-endpoint.ts";
import { ollamaEndpoint } from "./ollama-endpoint.ts";
import { responsesEndpoint } from "./responses-endpoint.ts";
import { sglangEndpoint } from "./sglang-endpoint.ts";
import type { Target } from "./target.ts";
import { createWireTarget } from "./wire-target.ts";

const ENDPOINTS = {
  responses: responsesEndpoint,
  "llama-completion": llamaEndpoint,
  "sglang-generate": sglangEndpoint,
  "ollama-chat": ollamaEndpoint,
} as const satisfies Partial<Record<Endpoint, (context: BodyContext) => NativeEndpoint>>;

/** Interfaces beside chat and text completions. */
export type NativeEndpointName = keyof typeof ENDPOINTS;

export function isNativeEndpoint(endpoint: Endpoint): endpoint is NativeEndpointName {
  return endpoint in ENDPOINTS;
}

export interface NativeTargetOptions extends BodyContext {
  readonly endpoint: NativeEndpointName;
  /** Server root. */
  readonly root: string;
  readonly apiKey: string | null;
  /** Further headers of every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** PEM of the certificate authority; null takes those of the system. */
  readonly ca?: string | null | undefined;
  readonly insecureTls?: boolean | undefined;
  readonly timeoutMs: number;
  /** How often a request goes out again that the server refused for now. Default: 0. */
  readonly retries?: number | undefined;
  readonly timeline: Timeline;
}

/** A target, and what it cannot be told. */
export interface NativeTarget {
  readonly target: Target;
  readonly path: string;
  readonly unsent: readonly UnsentSetting[];
}

/** Sends requests to a server's own interface. */
export function createNativeTarget(options: NativeTargetOptions): NativeTarget {
  const { root, apiKey, timeoutMs, timeline, streamed } = options;
  const endpoint = ENDPOINTS[options.endpoint](options);
  const target = createWireTarget(
    {
      url: `${root}${endpoint.path}`,
      headers: { ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }), ...options.headers },
      format: endpoint.format,
      streamed,
      timeoutMs,
      retries: options.retries ?? 0,
      ca: options.ca ?? null,
      insecureTls: options.insecureTls === true,
    },
    timeline,
    (prompt) => endpoint.body(prompt),
  );
  return { target, path: endpoint.path, unsent: endpoint.unsent };
}
