import { requestFields, type BenchConfig, type JsonValue } from "@onpar/bench-config";
import { unsentSettings, type UnsentSetting } from "./native-endpoint.ts";

/** How one engine's OpenAI routes differ from vLLM's fields. */
interface FieldDialect {
  /** Fields that it refuses or ignores: they are left out. */
  readonly without: readonly string[];
  /** Fields that it spells otherwise. */
  readonly renamed?: Readonly<Record<string, string>>;
  /** Whether it refuses keys that it does not know. */
  readonly isStrict?: boolean;
}

const OWN_FIELDS = ["ignore_eos", "min_tokens", "top_k", "min_p", "repetition_penalty"];
const OPENAI: FieldDialect = { without: OWN_FIELDS, isStrict: true };

/** By the engine as `/v1/models` names it. An engine that is not named here is sent everything. */
const DIALECTS: Readonly<Record<string, FieldDialect>> = {
  "llama.cpp": { without: ["min_tokens"], renamed: { repetition_penalty: "repeat_penalty" } },
  lmdeploy: { without: [], renamed: { min_tokens: "min_new_tokens" } },
  library: { without: OWN_FIELDS },
  openai: OPENAI,
  "openai-internal": OPENAI,
  system: OPENAI,
};

/** The stopping and sampling fields as one server takes them. */
export interface DialectFields {
  readonly fields: Readonly<Record<string, JsonValue>>;
  readonly unsent: readonly UnsentSetting[];
  /** Whether keys beyond the interface's own are refused. */
  readonly isStrict: boolean;
}

/** The fields of `/v1/chat/completions` and `/v1/completions` for the engine that answers there. */
export function openAiFields(config: BenchConfig, engine: string | null): DialectFields {
  const dialect = engine === null ? undefined : DIALECTS[engine];
  const all = requestFields(config);
  if (dialect === undefined) return { fields: all, unsent: [], isStrict: false };
  const { without, renamed = {}, isStrict = false } = dialect;
  const kept = Object.entries(all).filter(([name]) => !without.includes(name));
  return {
    fields: Object.fromEntries(kept.map(([name, value]) => [renamed[name] ?? name, value])),
    unsent: unsentSettings(config, new Set(["logprobs", ...kept.map(([name]) => name)])),
    isStrict,
  };
}
