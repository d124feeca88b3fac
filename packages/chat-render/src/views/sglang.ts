import { RenderError } from "../error.ts";
import { type PyDict, isList, isStr, textOf, type PyValue, isDict } from "../python/value.ts";
import { dictAt, dictOf, given, listAt, roleOf, textAt } from "./python-dict.ts";
import { argumentsAsDict } from "./tool-arguments.ts";
import { applyTemplate } from "./transformers.ts";
import type { Rendered, RenderWarning, View } from "./view.ts";

/*
 * What SGLang does to a chat request before transformers renders it. Built-in conversation templates and the encoders of
 * DeepSeek V3.2 and V4 do not go through Jinja and are not to be seen here.
 */

const media: Readonly<Record<string, string>> = {
  image_url: "image",
  input_image: "image",
  video_url: "video",
  audio_url: "audio",
};

function isTextPart(part: PyValue): part is PyDict {
  return isDict(part) && ["text", "input_text"].includes(textAt(part, "type") ?? "");
}

function partForTemplate(part: PyValue): PyValue | undefined {
  if (!isDict(part)) {
    return undefined;
  }
  const type = textAt(part, "type") ?? "";
  if (isTextPart(part)) {
    return dictOf([
      ["type", "text"],
      ["text", part.get("text")],
    ]);
  }
  const kind = media[type];
  if (kind !== undefined) {
    return dictOf([["type", kind]]);
  }
  return type === "tool_reference" ? part : undefined;
}

/** Text parts of a tool's result as one text; anything else stays. */
function toolContent(content: PyValue): PyValue {
  if (!isList(content)) {
    return content;
  }
  const texts = content.map((part) => {
    if (isStr(part)) {
      return textOf(part) ?? "";
    }
    return isDict(part) && textAt(part, "type") === "text" ? (textAt(part, "text") ?? "") : null;
  });
  return texts.includes(null) ? content : texts.join(" ");
}

function toolCall(call: PyValue, place: string): PyValue {
  if (!isDict(call)) {
    return call;
  }
  const inner = dictAt(call, "function") ?? call;
  const args = inner.get("arguments") ?? null;
  const dict = isStr(args) ? argumentsAsDict(args) : args;
  if (isStr(args) && dict === null) {
    throw new RenderError("MESSAGES_INVALID", `${place}: SGLang refuses arguments that are no JSON object`);
  }
  // The fields of SGLang's own model, in its order.
  return dictOf([
    ["id", call.get("id") ?? null],
    ["index", call.get("index") ?? null],
    ["type", "function"],
    [
      "function",
      dictOf([
        ["name", inner.get("name") ?? null],
        ["arguments", dict],
      ]),
    ],
  ]);
}

/** The message as SGLang's request model gives it back, without what is None. */
function messageAsSglang(message: PyDict, index: number, parts: boolean): PyDict {
  const role = roleOf(message).toLowerCase();
  const content = message.get("content") ?? "";
  const calls = role === "user" ? undefined : listAt(message, "tool_calls");
  const others: (readonly [string, PyValue | undefined])[] =
    role === "user"
      ? []
      : [
          ["tool_call_id", given(message, "tool_call_id")],
          ["name", given(message, "name")],
          ["reasoning_content", given(message, "reasoning_content")],
          ["tool_calls", calls?.map((call, at) => toolCall(call, `messages[${index}].tool_calls[${at}]`))],
          ["tools", given(message, "tools")],
        ];
  if (isList(content) && parts) {
    const seen = content.map(partForTemplate).filter((part) => part !== undefined);
    // Built anew, the content comes last.
    return dictOf([["role", role], ...others, ["content", role === "tool" ? toolContent(seen) : seen]]);
  }
  const text = isList(content)
    ? content
        .filter(isTextPart)
        .map((part) => textAt(part, "text") ?? "")
        .join(" ")
    : content;
  return dictOf([["role", role], ["content", text], ...others]);
}

function toolAsSglang(tool: PyValue): PyValue {
  if (!isDict(tool)) {
    return tool;
  }
  const inner = dictAt(tool, "function") ?? tool;
  return dictOf([
    ["type", "function"],
    [
      "function",
      dictOf([
        ["description", inner.get("description") ?? null],
        ["name", inner.get("name")],
        ["parameters", inner.get("parameters") ?? null],
        ["strict", inner.get("strict") ?? false],
        ["defer_loading", given(inner, "defer_loading") ?? given(tool, "defer_loading")],
      ]),
    ],
    ["defer_loading", tool.get("defer_loading") ?? null],
  ]);
}

/** The prompt that SGLang renders for `/v1/chat/completions`. */
export const sglangView: View = (request) => {
  const { template, conversation, continueFinalMessage } = request;
  const warnings: RenderWarning[] = [];
  const warn = (code: RenderWarning["code"], message: string): void => {
    warnings.push({ code, message });
  };
  const parts = /image|audio|video|vision/u.test(template.source) || template.loopsOverContent("sglang");
  let messages = conversation.messages
    .filter(isDict)
    .map((message, index) => messageAsSglang(message, index, parts));
  let prefix = "";
  const last = messages.at(-1);
  const answer = last !== undefined && roleOf(last) === "assistant" ? textAt(last, "content") : undefined;
  if (answer !== undefined) {
    messages = messages.slice(0, -1);
    if (continueFinalMessage === false) {
      messages.push(
        dictOf([
          ["role", "user"],
          ["content", answer],
        ]),
      );
      warn("VIEW_CHANGED_INPUT", "SGLang turns a last message of the assistant into one of the user");
    } else {
      prefix = answer;
      warn(
        "VIEW_APPROXIMATE",
        "SGLang appends the continued message as tokens, encoded apart from the prompt",
      );
    }
  }
  if (request.addGenerationPrompt === false) {
    warn("VIEW_CHANGED_INPUT", "SGLang always adds the generation prompt");
  }
  if (conversation.documents !== null) {
    warn("VIEW_CHANGED_INPUT", "SGLang does not pass documents on");
  }
  const render = (tools: readonly PyValue[] | null): Rendered =>
    applyTemplate({
      template,
      messages,
      tools,
      documents: null,
      addGenerationPrompt: true,
      continueFinalMessage: false,
      specialTokens: request.specialTokens,
      kwargs: request.kwargs,
    });
  // An empty list of tools counts as none.
  const tools =
    conversation.tools === null || conversation.tools.length === 0
      ? null
      : conversation.tools.map(toolAsSglang);
  const { text, spans } = renderWithRetry(render, tools, warn);
  return { text: text + prefix, spans, warnings };
};

/** A template that refuses wrapped tools gets the bare functions, as SGLang tries it. */
function renderWithRetry(
  render: (tools: readonly PyValue[] | null) => Rendered,
  tools: readonly PyValue[] | null,
  warn: (code: RenderWarning["code"], message: string) => void,
): Rendered {
  try {
    return render(tools);
  } catch (error) {
    if (tools === null || !(error instanceof RenderError) || error.pythonClass === null) {
      throw error;
    }
    const rendered = render(tools.map((tool) => (isDict(tool) ? (dictAt(tool, "function") ?? tool) : tool)));
    warn("VIEW_CHANGED_INPUT", "the template refused the tools, and SGLang gave it the bare functions");
    return rendered;
  }
}
