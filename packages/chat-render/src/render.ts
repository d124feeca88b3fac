import { checkConversation } from "./conversation.ts";
import type { Conversation } from "./conversation.ts";
import { RenderError } from "./error.ts";
import { compile, defaultLimits, execute } from "./runtime.ts";
import type { RenderLimits } from "./runtime.ts";

/** What a template is given besides the conversation. */
export interface RenderOptions {
  /** Ends the prompt with the start of the assistant's answer. Default false, as in transformers. */
  readonly addGenerationPrompt?: boolean;
  /** `bos_token`, `eos_token` and so on. A token that the model does not have is left out, not empty. */
  readonly specialTokens?: Readonly<Record<string, string>>;
  /**
   * Variables of the template (`enable_thinking`). One that is left out, or undefined, is undefined in the template,
   * which is not the same as false. They win over special tokens.
   */
  readonly kwargs?: Readonly<Record<string, unknown>>;
  /** What `strftime_now` reads, in local time. Default: the clock. */
  readonly now?: Date;
  readonly limits?: Partial<RenderLimits>;
}

/** A prompt as the template wrote it. */
export interface RenderedPrompt {
  readonly text: string;
}

/** A template that was parsed once and can render many conversations. */
export interface CompiledChatTemplate {
  /** @throws RenderError */
  readonly render: (conversation: Conversation, options?: RenderOptions) => RenderedPrompt;
}

/** Parameters of transformers' `apply_chat_template`: they cannot be variables as well. */
const fixedNames = ["messages", "tools", "documents", "add_generation_prompt"] as const;

function variablesOf(conversation: Conversation, options: RenderOptions): Record<string, unknown> {
  const kwargs = options.kwargs ?? {};
  const fixed = fixedNames.find((name) => Object.hasOwn(kwargs, name));
  if (fixed !== undefined) {
    throw new RenderError(
      "MESSAGES_INVALID",
      `kwargs.${fixed}: is always passed and cannot be set as a variable`,
      {
        pythonClass: "TypeError",
        field: `kwargs.${fixed}`,
      },
    );
  }
  return {
    ...options.specialTokens,
    ...kwargs,
    messages: conversation.messages,
    tools: conversation.tools ?? null,
    documents: conversation.documents ?? null,
    add_generation_prompt: options.addGenerationPrompt ?? false,
  };
}

/**
 * Parses a Jinja chat template with the settings of transformers (trim and lstrip blocks).
 *
 * @throws RenderError `TEMPLATE_SYNTAX`.
 */
export function compileChatTemplate(template: string): CompiledChatTemplate {
  const program = compile(template);
  return {
    render: (conversation, options = {}) => {
      checkConversation(conversation);
      const limits = { ...defaultLimits, ...options.limits };
      return { text: execute(program, variablesOf(conversation, options), options.now, limits) };
    },
  };
}

/**
 * Renders one conversation. The text already begins with BOS where the template writes it: whoever tokenizes it must
 * not add special tokens again.
 *
 * @throws RenderError
 */
export function applyChatTemplate(
  template: string,
  conversation: Conversation,
  options: RenderOptions = {},
): RenderedPrompt {
  return compileChatTemplate(template).render(conversation, options);
}
