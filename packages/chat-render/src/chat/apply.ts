import { defaultLimits, Pace, type BudgetLimits } from "../python/budget.ts";
import { type PyDict, textOf, type PyValue, isDict } from "../python/value.ts";
import { RenderError } from "../error.ts";
import { compileTemplate, type CompiledTemplate } from "../render.ts";
import { viewNamed, type ViewName } from "../views/index.ts";
import type { RenderWarning, View, ViewTemplate } from "../views/view.ts";
import { checkCall, checkTemplate } from "./check-call.ts";
import { pythonConversation, type Conversation } from "./conversation.ts";
import { inputSize } from "./input-size.ts";
import type { ParsedConversation } from "./parse-conversation.ts";
import { sha256 } from "./sha256.ts";
import { assistantSpans, type AssistantSpan } from "./spans.ts";
import { chooseTemplate, type ChatTemplate, type ChosenTemplate } from "./template-choice.ts";
import { toPython } from "./to-python.ts";

/**
 * How far a template may go: steps, milliseconds (only for work that the size of the conversation does not explain),
 * characters of output and of one value, nesting.
 */
export type RenderLimits = BudgetLimits;

/** What a template is given besides the conversation, and how. */
export interface RenderOptions {
  /**
   * Ends the prompt with the start of the assistant's answer. Default false, as in transformers; where `as` names a
   * server, that server's default.
   */
  readonly addGenerationPrompt?: boolean;
  /**
   * Ends the prompt with the last message instead of closing it: true for its `content`, or the name of the field that is
   * continued, such as `reasoning_content`. Excludes `addGenerationPrompt`.
   */
  readonly continueFinalMessage?: boolean | string;
  /** `bos_token`, `eos_token` and so on. A token that the model does not have is left out, not empty. */
  readonly specialTokens?: Readonly<Record<string, string | readonly string[]>>;
  /**
   * Variables of the template (`enable_thinking`). One that is left out, or undefined, is undefined in the template,
   * which is not the same as false. They win over special tokens. An object that `parseJson` read will do.
   */
  readonly kwargs?: Readonly<Record<string, unknown>> | PyDict;
  /** Name of the template where the model carries several, or a template that takes their place. */
  readonly chatTemplate?: string;
  /**
   * Whether the model's tokenizer puts BOS before every text, for the view of llama.cpp, which then takes BOS off the
   * prompt. Default true.
   */
  readonly tokenizerAddsBos?: boolean;
  /** What `strftime_now` reads, in local time. Default: the clock. */
  readonly now?: Date;
  /** Whose prompt it is: what that program would render for the same request. Default: the template as it stands. */
  readonly as?: ViewName | View;
  readonly limits?: Partial<RenderLimits>;
  /** Milliseconds of a clock that never goes back, for `limits.milliseconds`. Default `performance.now`. */
  readonly clock?: () => number;
}

/** A prompt as the template wrote it. */
export interface RenderedPrompt {
  readonly text: string;
  /** sha256 (hex) of the template's text in UTF-8. */
  readonly templateSha256: string;
  /** Name of the template that was used: `default`, `tool_use`, or the model's own. */
  readonly templateName: string;
  /** Where that template came from: `text`, `list`, `argument`, or the kind and path that a loader gave. */
  readonly templateSource: string;
  /**
   * Whether the text begins with the BOS token. Whoever tokenizes it must then add none: send token ids, or
   * `add_special_tokens: false`.
   */
  readonly beginsWithBos: boolean;
  /** Parts that `{% generation %}` blocks wrote. */
  readonly assistantSpans: readonly AssistantSpan[];
  readonly warnings: readonly RenderWarning[];
}

/** A template that was parsed once and can render many conversations. */
export interface CompiledChatTemplate {
  /** sha256 (hex) of the template's text in UTF-8. */
  readonly sha256: string;
  /** Variables that the template reads and does not set itself. */
  readonly variables: ReadonlySet<string>;
  /** @throws RenderError */
  render(conversation: Conversation | ParsedConversation, options?: RenderOptions): RenderedPrompt;
}

/** Always passed; `apply_chat_template` has parameters of these names, so they cannot come as variables. */
const fixedNames = ["messages", "tools", "documents", "add_generation_prompt"] as const;

const monotonic = (): number => performance.now();

const none: ReadonlyMap<string, PyValue> = new Map();

function entriesOf(kwargs: Readonly<Record<string, unknown>> | PyDict): [string, unknown][] {
  return isDict(kwargs)
    ? kwargs.entries().map(([name, value]) => [textOf(name) ?? "", value])
    : Object.entries(kwargs);
}

function kwargsOf(kwargs: Readonly<Record<string, unknown>> | PyDict): ReadonlyMap<string, PyValue> {
  const entries = entriesOf(kwargs);
  if (entries.length === 0) {
    return none;
  }
  const fixed = fixedNames.find((name) => entries.some(([key]) => key === name));
  if (fixed !== undefined) {
    throw new RenderError(
      "MESSAGES_INVALID",
      `kwargs.${fixed}: is always passed and cannot be set as a variable`,
      { pythonClass: "TypeError", field: `kwargs.${fixed}` },
    );
  }
  return new Map(
    entries
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, toPython(value, `kwargs.${name}`)]),
  );
}

function unusedVariables(
  kwargs: ReadonlyMap<string, PyValue>,
  read: ReadonlySet<string>,
): readonly RenderWarning[] {
  return [...kwargs.keys()]
    .filter((name) => !read.has(name))
    .map((name) => ({
      code: "UNUSED_VARIABLE",
      message: `the template has no variable ${name}: setting it changes nothing`,
    }));
}

/** A template compiled, with what does not change from render to render. */
interface Known {
  readonly compiled: CompiledTemplate;
  /** Of the template's text; computed when it is first asked for. */
  readonly sha256: () => string;
}

function knownOf(template: string): Known {
  let hash: string | undefined;
  return { compiled: compileTemplate(template), sha256: () => (hash ??= sha256(template)) };
}

function renderChosen(
  chosen: ChosenTemplate,
  known: Known,
  conversation: Conversation | ParsedConversation,
  options: RenderOptions,
): RenderedPrompt {
  const { compiled } = known;
  const { specialTokens = {}, kwargs = {}, now = new Date(), limits = {}, clock = monotonic } = options;
  const variables = kwargsOf(kwargs);
  const tokens = tokensOf(specialTokens);
  const given = pythonConversation(conversation);
  const pace = new Pace(clock, limits.milliseconds ?? defaultLimits.milliseconds, () =>
    inputSize([given.messages, given.tools, given.documents, ...variables.values()]),
  );
  const template: ViewTemplate = {
    source: chosen.template,
    render: (values) => compiled.render(values, { now, limits, pace }),
    loopsOverContent: (by) => compiled.loopsOverContent(by),
  };
  const view = typeof options.as === "function" ? options.as : viewNamed(options.as);
  const { text, spans, warnings } = view({
    template,
    conversation: given,
    addGenerationPrompt: options.addGenerationPrompt,
    continueFinalMessage: options.continueFinalMessage ?? false,
    specialTokens: tokens,
    kwargs: variables,
    tokenizerAddsBos: options.tokenizerAddsBos ?? true,
    now,
  });
  const bos = textOf(variables.get("bos_token") ?? tokens.get("bos_token") ?? null) ?? "";
  return {
    text,
    templateSha256: known.sha256(),
    templateName: chosen.name,
    templateSource: chosen.source,
    beginsWithBos: bos !== "" && text.startsWith(bos),
    assistantSpans: assistantSpans(text, spans),
    warnings: [...warnings, ...unusedVariables(variables, compiled.variables)],
  };
}

/** A token that a model does not have is null in its files, and not there for a template. */
function tokensOf(tokens: Readonly<Record<string, unknown>>): Map<string, PyValue> {
  const variables = new Map<string, PyValue>();
  for (const name of Object.keys(tokens)) {
    const token = tokens[name] ?? null;
    if (token !== null) {
      variables.set(name, typeof token === "string" ? token : toPython(token, `specialTokens.${name}`));
    }
  }
  return variables;
}

function hasTools({ tools }: { readonly tools?: unknown }): boolean {
  return (tools ?? null) !== null;
}

/** Compiled templates that are kept: transformers keeps twice as many for all of a process. */
const MAX_COMPILED = 64;

/** Those that `applyChatTemplate` was last called with. */
const recent = new Map<string, Known>();

/** One or several templates of a model, each compiled when it is first needed. */
class CompiledChoices implements CompiledChatTemplate {
  private readonly template: ChatTemplate;
  private readonly known: Map<string, Known>;
  private latest: { readonly chosen: ChosenTemplate; readonly known: Known } | null = null;

  constructor(template: ChatTemplate, known = new Map<string, Known>()) {
    checkTemplate(template);
    this.template = template;
    this.known = known;
  }

  private choose(named: string | undefined, tools: boolean): { chosen: ChosenTemplate; known: Known } {
    const chosen = chooseTemplate(this.template, named, tools);
    if (this.latest?.chosen.template === chosen.template) {
      return { chosen, known: this.latest.known };
    }
    const known = this.known.get(chosen.template) ?? knownOf(chosen.template);
    // Put last again, so that the one that was not used for longest goes first.
    this.known.delete(chosen.template);
    this.known.set(chosen.template, known);
    const [oldest] = this.known.keys();
    if (this.known.size > MAX_COMPILED && oldest !== undefined) {
      this.known.delete(oldest);
    }
    this.latest = { chosen, known };
    return this.latest;
  }

  get sha256(): string {
    return this.choose(undefined, false).known.sha256();
  }

  get variables(): ReadonlySet<string> {
    return this.choose(undefined, false).known.compiled.variables;
  }

  render(conversation: Conversation | ParsedConversation, options: RenderOptions = {}): RenderedPrompt {
    const given = checkCall(conversation, options);
    const { chosen, known } = this.choose(given.chatTemplate, hasTools(conversation));
    return renderChosen(chosen, known, conversation, given);
  }
}

/**
 * Parses a Jinja chat template with the settings of transformers (trim and lstrip blocks), to render it many times.
 *
 * @param template its text, what a loader of `./node` gave, or all named templates of a model, of which the one that
 *   fits is taken for each conversation
 * @throws RenderError `TEMPLATE_SYNTAX`.
 */
export function compileChatTemplate(template: ChatTemplate): CompiledChatTemplate {
  const choices = new CompiledChoices(template);
  if (typeof template === "string" || "template" in template) {
    // A fault is told here and not at the first conversation.
    void choices.variables;
  }
  return choices;
}

/**
 * Renders one conversation. The text already begins with BOS where the template writes it: whoever tokenizes it must
 * not add special tokens again.
 *
 * @throws RenderError
 */
export function applyChatTemplate(
  template: ChatTemplate,
  conversation: Conversation | ParsedConversation,
  options: RenderOptions = {},
): RenderedPrompt {
  return new CompiledChoices(template, recent).render(conversation, options);
}
