import type { MetricFamily, MetricSample } from "../exposition/sample.ts";
import type { SeriesSelection } from "../normal/page-index.ts";
import type { Dialect } from "./dialect.ts";
import { dynamo, dynamoWorkers } from "./dynamo.ts";
import { llamaCpp } from "./llama-cpp.ts";
import { lmdeploy } from "./lmdeploy.ts";
import { localai } from "./localai.ts";
import { ollama } from "./ollama.ts";
import { onparServer } from "./onpar-server.ts";
import { sglang } from "./sglang.ts";
import { tgi } from "./tgi.ts";
import type { EngineName } from "./sources.ts";
import { trtllm } from "./trtllm.ts";
import { vllmCpp } from "./vllm-cpp.ts";
import { vllmSchema } from "./vllm-schema.ts";
import { vllm } from "./vllm.ts";

/** Dialects of engines, in the order in which a page is asked for them: who passes another's names on comes first. */
export const DIALECTS: readonly Dialect[] = [
  dynamo,
  onparServer,
  vllm,
  vllmCpp,
  sglang,
  llamaCpp,
  trtllm,
  tgi,
  lmdeploy,
  localai,
  ollama,
];

const WORKERS = [vllm, sglang, trtllm];

/** The dialect of a named engine. */
export function dialectOf(engine: EngineName): Dialect {
  return DIALECTS.find((dialect) => dialect.engine === engine) ?? vllmSchema("");
}

/** What a dialect is chosen by. */
export interface PageNames {
  readonly samples: readonly MetricSample[];
  readonly families?: ReadonlyMap<string, MetricFamily>;
}

/**
 * The dialect of one page or of several of the same server, by the names on them. A page of unknown names with vLLM's schema
 * behind some prefix is read by that schema; null when nothing on it is known.
 */
export function dialectByNames(pages: readonly PageNames[], selection: SeriesSelection = {}): Dialect | null {
  if (selection.prefix !== undefined) {
    const { prefix } = selection;
    return DIALECTS.find(({ recognises }) => prefix !== "" && recognises(`${prefix}x`)) ?? vllmSchema(prefix);
  }
  const names = new Set<string>();
  for (const { samples, families } of pages) {
    for (const { name } of samples) names.add(name);
    for (const name of families?.keys() ?? []) names.add(name);
  }
  const has = ({ recognises }: Dialect): boolean => [...names].some((name) => recognises(name));
  const found = DIALECTS.find(has);
  if (found === dynamo) {
    const worker = WORKERS.find(has);
    return worker === undefined ? dynamo : dynamoWorkers(worker);
  }
  return found ?? oldTrtllm(names, pages) ?? schemaBehindPrefix(names);
}

/** TensorRT-LLM 1.1 and 1.2 wrote no prefix; their label `engine_type` gives them away. */
function oldTrtllm(names: ReadonlySet<string>, pages: readonly PageNames[]): Dialect | null {
  if (!names.has("e2e_request_latency_seconds_sum")) return null;
  const isTrtllm = pages.some(({ samples }) =>
    samples.some(({ name, labels }) => name === "e2e_request_latency_seconds_sum" && "engine_type" in labels),
  );
  return isTrtllm ? trtllm : null;
}

const SCHEMA =
  /^(.*?)(?:spec_decode_num_(?:draft_tokens|accepted_tokens|drafts)(?:_total)?|num_requests_(?:running|waiting))$/;
const SCHEMA_WITH_COLON =
  /^((?:[a-zA-Z_][a-zA-Z0-9_]*:)*)(?:generation_tokens|prompt_tokens|request_success|prefix_cache_queries|time_to_first_token_seconds)(?:_total|_count)?$/;

/** Names of speculative decoding tell a prefix of any kind; more common names only one that ends with a colon. */
function schemaBehindPrefix(names: ReadonlySet<string>): Dialect | null {
  for (const pattern of [SCHEMA, SCHEMA_WITH_COLON]) {
    for (const name of names) {
      const prefix = pattern.exec(name)?.[1];
      if (prefix !== undefined) return vllmSchema(prefix);
    }
  }
  return null;
}
