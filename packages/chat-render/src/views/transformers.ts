import { emptyConversation } from "../chat/conversation.ts";
import { cutAtMark, markFinalMessage } from "../chat/continue-message.ts";
import { RenderError } from "../error.ts";
import type { GenerationSpan } from "../jinja/scope.ts";
import { codePointCount } from "../python/code-points.ts";
import type { PyValue } from "../python/value.ts";
import type { Rendered, RenderWarning, Variables, View, ViewRequest, ViewTemplate } from "./view.ts";

/** What `apply_chat_template` hands to a template. */
export interface TemplateCall {
  readonly template: ViewTemplate;
  readonly messages: readonly PyValue[];
  readonly tools: readonly PyValue[] | null;
  readonly documents: readonly PyValue[] | null;
  readonly addGenerationPrompt: boolean;
  readonly continueFinalMessage: boolean | string;
  readonly specialTokens: Variables;
  readonly kwargs: Variables;
}

/** Variables of the template: kwargs win over special tokens, and the four fixed names over both. */
function variablesOf(call: TemplateCall, messages: readonly PyValue[]): Map<string, PyValue> {
  const variables = new Map<string, PyValue>(call.specialTokens);
  for (const [name, value] of call.kwargs) {
    variables.set(name, value);
  }
  variables.set("messages", messages);
  variables.set("tools", call.tools);
  variables.set("documents", call.documents);
  variables.set("add_generation_prompt", call.addGenerationPrompt);
  return variables;
}

/** Renders, and where the final message is to be continued, ends the prompt with it. */
export function applyTemplate(call: TemplateCall): Rendered {
  if (call.continueFinalMessage === false || call.continueFinalMessage === "") {
    return call.template.render(variablesOf(call, call.messages));
  }
  if (call.addGenerationPrompt) {
    throw new RenderError(
      "MESSAGES_INVALID",
      "continue_final_message and add_generation_prompt are not compatible.",
      { pythonClass: "ValueError" },
    );
  }
  const field = call.continueFinalMessage === true ? "content" : call.continueFinalMessage;
  const { messages, final } = markFinalMessage(call.messages, field, call.template.source);
  const { text, spans } = call.template.render(variablesOf(call, messages));
  const cut = cutAtMark(text, final);
  return {
    text: cut,
    spans: spans.map((span) => cutSpan(span, text, cut.length)).filter((span) => span !== null),
  };
}

/** What is left of a span when the text ends earlier; null where nothing is. */
function cutSpan(span: GenerationSpan, text: string, length: number): GenerationSpan | null {
  if (span.start > length) {
    return null;
  }
  const end = Math.min(span.end, length);
  return { start: span.start, end, size: span.size - codePointCount(text.slice(end, span.end)) };
}

function callOf(request: ViewRequest): TemplateCall {
  const { template, conversation, continueFinalMessage, specialTokens, kwargs } = request;
  return {
    messages: conversation.messages,
    tools: conversation.tools,
    documents: conversation.documents,
    template,
    addGenerationPrompt: request.addGenerationPrompt ?? false,
    continueFinalMessage,
    specialTokens,
    kwargs,
  };
}

/** The template with its variables and nothing else: transformers without its refusal of empty conversations. */
export const plainView: View = (request) => {
  const warnings: RenderWarning[] =
    request.conversation.messages.length > 0
      ? []
      : [{ code: "EMPTY_CONVERSATION", message: "there is no message: transformers would refuse it" }];
  return { ...applyTemplate(callOf(request)), warnings };
};

/** `tokenizer.apply_chat_template(..., tokenize=False)` of transformers 5. */
export const transformersView: View = (request) => {
  if (request.conversation.messages.length === 0) {
    throw emptyConversation();
  }
  return { ...applyTemplate(callOf(request)), warnings: [] };
};
