import type { Llama, LlamaGrammar, LlamaModel } from "node-llama-cpp";
import type { OutputFormat } from "../engine.ts";
import { EngineError } from "../errors.ts";
import { grammarFault } from "../text/gbnf.ts";
import { messageOf, type NodeLlama } from "./node-llama.ts";
import { readableSchema } from "./readable-schema.ts";
import { schemaFault } from "./schema-fault.ts";

/** How far the output of one request is in its grammar. */
export type GrammarState = InstanceType<NodeLlama["LlamaGrammarEvaluationState"]>;

type JsonSchema = Parameters<Llama["createGrammarForJsonSchema"]>[0];

/** Grammars that are kept; a server sees the same few schemas again and again. */
const KEPT_GRAMMARS = 32;

/**
 * What node-llama-cpp demands after the JSON of a schema, so that its own sessions can stop there. Here an output ends with its
 * JSON: the lines would be part of the answer, and a model that likes them would go on to the cap.
 */
const LINES_AFTER_JSON = /^(root ::= .*) "\\n\\n\\n\\n" \[\\n\]\*$/m;

/** Turns formats into grammars of llama.cpp. */
export class GrammarSource {
  readonly #nodeLlama: NodeLlama;
  readonly #llama: Llama;
  readonly #model: LlamaModel;
  readonly #grammars = new Map<string, Promise<LlamaGrammar>>();

  constructor(nodeLlama: NodeLlama, llama: Llama, model: LlamaModel) {
    this.#nodeLlama = nodeLlama;
    this.#llama = llama;
    this.#model = model;
  }

  /** @throws {EngineError} `ENGINE_INVALID_REQUEST` when the schema or the grammar cannot be used */
  async start(format: OutputFormat): Promise<GrammarState> {
    const key = JSON.stringify(format);
    let grammar = this.#grammars.get(key);
    if (grammar === undefined) {
      grammar = this.#compile(format);
      this.#grammars.set(key, grammar);
      const [oldest] = this.#grammars.keys();
      if (this.#grammars.size > KEPT_GRAMMARS && oldest !== undefined) this.#grammars.delete(oldest);
    }
    try {
      return new this.#nodeLlama.LlamaGrammarEvaluationState({ model: this.#model, grammar: await grammar });
    } catch (cause) {
      this.#grammars.delete(key);
      throw new EngineError(
        "ENGINE_INVALID_REQUEST",
        `format: llama.cpp cannot use this ${format.kind}: ${messageOf(cause)}`,
        { cause },
      );
    }
  }

  #compile(format: OutputFormat): Promise<LlamaGrammar> {
    if (format.kind === "json") return this.#llama.getGrammarFor("json");
    const { schema } = format.kind === "grammar" ? { schema: null } : format;
    // llama.cpp would print what is wrong itself, and say only that it failed
    const fault = format.kind === "grammar" ? grammarFault(format.grammar) : schemaFault(schema);
    if (fault !== null) return Promise.reject(new SyntaxError(fault));
    if (format.kind === "grammar") return this.#llama.createGrammar({ grammar: format.grammar });
    const readable = readableSchema(schema);
    if (!isSchema(readable)) return Promise.reject(new TypeError("the schema is not an object"));
    return this.#compileSchema(readable);
  }

  async #compileSchema(schema: JsonSchema): Promise<LlamaGrammar> {
    const { grammar } = await this.#llama.createGrammarForJsonSchema(schema);
    return this.#llama.createGrammar({ grammar: grammar.replace(LINES_AFTER_JSON, "$1") });
  }
}

/** node-llama-cpp reads the schema itself and says what it cannot take. */
function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null;
}
