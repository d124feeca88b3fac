import type { PythonConversation } from "../chat/conversation.ts";
import type { GenerationSpan } from "../jinja/scope.ts";
import type { PyValue } from "../python/value.ts";

/** Something about a prompt that its user should know. It was rendered all the same. */
export interface RenderWarning {
  /**
   * - `UNUSED_VARIABLE`: the template never reads a variable that was sent.
   * - `EMPTY_CONVERSATION`: there is no message; transformers refuses that.
   * - `VIEW_CHANGED_INPUT`: the server would change the conversation in a way that may surprise.
   * - `VIEW_APPROXIMATE`: the server does something here that is not known exactly, or depends on the model.
   */
  readonly code: "UNUSED_VARIABLE" | "EMPTY_CONVERSATION" | "VIEW_CHANGED_INPUT" | "VIEW_APPROXIMATE";
  readonly message: string;
}

/** Variables of a template by name. */
export type Variables = ReadonlyMap<string, PyValue>;

/** What a template wrote. */
export interface Rendered {
  readonly text: string;
  /** Of `{% generation %}` blocks. */
  readonly spans: readonly GenerationSpan[];
}

/** A compiled template, as a view uses it. */
export interface ViewTemplate {
  readonly source: string;
  render(variables: Variables): Rendered;
  /** Whether a loop goes over the parts of a message's content. */
  loopsOverContent(by: "vllm" | "sglang"): boolean;
}

/** A request as a server would get it. */
export interface ViewRequest {
  readonly template: ViewTemplate;
  readonly conversation: PythonConversation;
  /** Undefined where the caller leaves it to the server. */
  readonly addGenerationPrompt: boolean | undefined;
  readonly continueFinalMessage: boolean | string;
  readonly specialTokens: Variables;
  readonly kwargs: Variables;
  /** Whether the model's tokenizer puts BOS before every text. */
  readonly tokenizerAddsBos: boolean;
  readonly now: Date;
}

/** What a server makes of a request. */
export interface Viewed extends Rendered {
  readonly warnings: readonly RenderWarning[];
}

/** How one program turns a conversation into a prompt. */
export type View = (request: ViewRequest) => Viewed;
