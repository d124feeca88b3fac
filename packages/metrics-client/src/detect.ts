import type { Dialect } from "./dialects/dialect.ts";
import { dialectByNames, dialectOf, type PageNames } from "./dialects/registry.ts";
import type { ServerFacts } from "./dialects/server-facts.ts";
import type { EngineName } from "./dialects/sources.ts";
import { at, isRecord, textAt } from "./json.ts";

/** Which engine a server is, and what shows it. */
export interface Detection {
  /** Null when nothing is known. */
  readonly dialect: Dialect | null;
  /** `certain` by names or fields that only this engine has; `likely` by what others may copy. */
  readonly confidence: "certain" | "likely" | "none";
  /** In words. */
  readonly evidence: readonly string[];
  /** Version as the server tells it. */
  readonly version: string | null;
}

/** `owned_by` of `/v1/models`. */
const OWNERS: Readonly<Record<string, EngineName>> = {
  vllm: "vllm",
  sglang: "sglang",
  llamacpp: "llama-cpp",
  lmdeploy: "lmdeploy",
  tensorrt_llm: "trtllm",
  library: "ollama",
  onpar: "onpar-server",
};

/**
 * Tells the engine by the names on its metrics pages and by what it answered to probes. Names on a page come first: a proxy may
 * answer `/v1/models` for any engine.
 */
export function detectEngine(facts: ServerFacts, pages: readonly PageNames[] = []): Detection {
  const version = versionOf(facts);
  const byNames = pages.length === 0 ? null : dialectByNames(pages);
  if (byNames !== null) {
    const isVllmCpp = byNames.engine === "vllm" && looksLikeVllmCpp(facts, pages);
    const dialect = isVllmCpp ? dialectOf("vllm-cpp") : byNames;
    const evidence = [`names of ${byNames.title} on the metrics page`];
    if (isVllmCpp) evidence.push("server info without development mode, and no Python process on the page");
    return { dialect, confidence: isVllmCpp ? "likely" : "certain", evidence, version };
  }
  const [first] = byAnswers(facts);
  if (first === undefined) return { dialect: null, confidence: "none", evidence: [], version };
  return {
    dialect: dialectOf(first.engine),
    confidence: first.isCertain ? "certain" : "likely",
    evidence: [first.evidence],
    version,
  };
}

interface Clue {
  readonly engine: EngineName;
  readonly isCertain: boolean;
  readonly evidence: string;
}

function byAnswers(facts: ServerFacts): Clue[] {
  const clues: Clue[] = [];
  const add = (engine: EngineName, isCertain: boolean, evidence: string) =>
    clues.push({ engine, isCertain, evidence });
  const owner = textAt(facts.models, "data", 0, "owned_by")?.toLowerCase() ?? "";
  const owned = Object.hasOwn(OWNERS, owner) ? OWNERS[owner] : undefined;
  if (owned !== undefined && owned !== "ollama") add(owned, owned !== "vllm", `/v1/models owned_by ${owner}`);
  if (
    textAt(facts.props, "build_info") !== null ||
    at(facts.props, "default_generation_settings") !== undefined
  ) {
    add("llama-cpp", true, "/props with default_generation_settings");
  }
  if (
    at(facts.serverInfo, "internal_states") !== undefined ||
    at(facts.serverInfo, "tp_size") !== undefined
  ) {
    add("sglang", true, "server info with internal_states");
  }
  if (at(facts.serverInfo, "vllm_config") !== undefined) add("vllm", false, "server info with vllm_config");
  if (textAt(facts.info, "router") !== null || at(facts.info, "max_total_tokens") !== undefined) {
    add("tgi", true, "/info of a TGI router");
  }
  if (textAt(facts.apiVersion, "version") !== null) {
    // LocalAI answers Ollama's paths too, and has a version of its own at another path.
    if (textAt(facts.version, "version") === null) add("ollama", true, "/api/version");
    else add("localai", false, "/version and /api/version");
  }
  if (owned === "ollama") add("ollama", false, `/v1/models owned_by ${owner}`);
  return clues.toSorted((a, b) => Number(b.isCertain) - Number(a.isCertain));
}

/** Python's vLLM always has its own process or its HTTP server on the page; vllm.cpp has neither. */
function looksLikeVllmCpp(facts: ServerFacts, pages: readonly PageNames[]): boolean {
  if (!isRecord(facts.serverInfo) || !("vllm_config" in facts.serverInfo)) return false;
  return pages.every(({ samples }) => samples.every(({ name }) => !/^(?:python_|process_|http_)/.test(name)));
}

function versionOf(facts: ServerFacts): string | null {
  return (
    textAt(facts.version, "version") ??
    textAt(facts.props, "build_info") ??
    textAt(facts.serverInfo, "version") ??
    textAt(facts.info, "version") ??
    textAt(facts.apiVersion, "version")
  );
}
