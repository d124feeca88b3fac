import { RenderError } from "../error.ts";
import { PyDict, isList, isStr, textOf, type PyValue, isDict } from "../python/value.ts";
import { dictAt, dictOf, given, listAt, roleOf, textAt } from "./python-dict.ts";
import { argumentsAsDict } from "./tool-arguments.ts";
import { applyTemplate } from "./transformers.ts";
import type { RenderWarning, View } from "./view.ts";

/*
 * What vLLM 0.32 does to a chat request before transformers renders it. Not through Jinja at all, and so not to be seen
 * here: gpt-oss, Mistral's own tokenizers, DeepSeek V3.2 and Grok 2.
 */

/** Content as parts (`openai`) or as one text (`string`), as the template seems to want it. */
type ContentFormat = "openai" | "string";

/** Kinds of parts that stand for something else than text, and what templates see of them. */
const media: Readonly<Record<string, string>> = {
  image_url: "image",
  input_image: "image",
  image_pil: "image",
  image: "image",
  audio_url: "audio",
  input_audio: "audio",
  video_url: "video",
};

const textTypes: Readonly<Record<string, string>> = {
  text: "text",
  input_text: "text",
  output_text: "text",
  refusal: "refusal",
  thinking: "thinking",
};

/** Keys of parts that are the part itself, or that a model never sees. */
const partKeys = new Set(["type", "text", "refusal", "thinking", "uuid", ...Object.keys(media)]);

class VllmMessages {
  readonly format: ContentFormat;
  readonly warnings: RenderWarning[] = [];

  constructor(format: ContentFormat) {
    this.format = format;
  }

  #warn(code: RenderWarning["code"], message: string): void {
    if (!this.warnings.some((warning) => warning.message === message)) {
      this.warnings.push({ code, message });
    }
  }

  #extras(part: PyDict): (readonly [string, PyValue])[] {
    return part.entries().flatMap(([key, value]) => {
      const name = textOf(key);
      return name === undefined || partKeys.has(name) ? [] : [[name, value] as const];
    });
  }

  /** A part as the template sees it; null where it is left out. */
  #part(part: PyValue): PyValue {
    if (isStr(part)) {
      return this.format === "openai"
        ? dictOf([
            ["type", "text"],
            ["text", part],
          ])
        : part;
    }
    if (!isDict(part)) {
      return null;
    }
    const type = textAt(part, "type") ?? Object.keys(media).find((key) => part.has(key)) ?? "text";
    const textKey = textTypes[type];
    if (textKey !== undefined) {
      const text = part.get(textKey) ?? null;
      if (text === null || this.format === "string") {
        return text;
      }
      return dictOf([["type", "text"], ["text", text], ...this.#extras(part)]);
    }
    const kind = media[type];
    if (kind === undefined) {
      throw new RenderError("MESSAGES_INVALID", `Unsupported chat content part type: '${type}'.`, {
        pythonClass: "VLLMValidationError",
      });
    }
    if (this.format === "openai") {
      return dictOf([["type", kind], ...this.#extras(part)]);
    }
    this.#warn(
      "VIEW_APPROXIMATE",
      `vLLM puts a placeholder of the model in front of the text for each ${kind}`,
    );
    return null;
  }

  #content(value: PyValue | undefined): PyValue {
    const parts = value === undefined || value === null ? [] : isList(value) ? value : [value];
    const seen = parts.map((part) => this.#part(part)).filter((part) => part !== null);
    return this.format === "openai" ? seen : seen.map((text) => textOf(text) ?? "").join("\n");
  }

  #toolContent(content: PyValue): PyValue {
    if (!isList(content)) {
      return content;
    }
    const texts = content.map((part) =>
      isDict(part) && textAt(part, "type") === "text" ? (textAt(part, "text") ?? "") : null,
    );
    return texts.includes(null) ? content : texts.join("\n");
  }

  #toolCalls(message: PyDict, index: number): PyValue | undefined {
    const calls = listAt(message, "tool_calls");
    return calls === undefined || calls.length === 0
      ? undefined
      : calls.map((call, at) => this.#toolCall(call, `messages[${index}].tool_calls[${at}]`));
  }

  #toolCall(call: PyValue, place: string): PyValue {
    if (!isDict(call)) {
      return call;
    }
    const inner = dictAt(call, "function") ?? call;
    const id = given(call, "id");
    if (id === undefined) {
      this.#warn("VIEW_APPROXIMATE", `${place}: vLLM refuses a tool call without an id`);
    }
    const args = given(inner, "arguments");
    const dict = argumentsAsDict(args);
    if (args !== undefined && args !== "" && dict === null) {
      this.#warn(
        "VIEW_CHANGED_INPUT",
        `${place}: the arguments are no JSON object; vLLM passes an empty one`,
      );
    }
    const known = new Set(["id", "function", "type", "name", "arguments"]);
    const rest = call.entries().flatMap(([key, value]): (readonly [string, PyValue])[] => {
      const name = textOf(key);
      return name === undefined || known.has(name) ? [] : [[name, value]];
    });
    return dictOf([
      ["id", id],
      [
        "function",
        dictOf([
          ["arguments", dict ?? new PyDict()],
          ["name", inner.get("name")],
        ]),
      ],
      ["type", "function"],
      ...rest,
    ]);
  }

  /** The message as vLLM builds it anew: what it does not know is dropped. */
  message(message: PyDict, index: number): PyDict {
    const role = roleOf(message);
    const content = this.#content(message.get("content"));
    const isAssistant = role === "assistant";
    const reasoning = given(message, "reasoning") ?? given(message, "reasoning_content");
    return dictOf([
      ["role", role],
      ["content", role === "tool" ? this.#toolContent(content) : content],
      ["tool_calls", isAssistant ? this.#toolCalls(message, index) : undefined],
      ["reasoning", isAssistant ? reasoning : undefined],
      ["reasoning_content", isAssistant ? reasoning : undefined],
      ["tool_call_id", role === "tool" ? message.get("tool_call_id") : undefined],
      ["name", textAt(message, "name")],
      ["task", textAt(message, "task")],
      ["tools", role === "developer" ? (message.get("tools") ?? null) : undefined],
    ]);
  }

  /** Developer messages as system messages, and all system messages as one, for templates that do not know the role. */
  withoutDeveloper(messages: readonly PyDict[]): readonly PyDict[] {
    if (!messages.some((message) => roleOf(message) === "developer")) {
      return messages;
    }
    this.#warn("VIEW_CHANGED_INPUT", "the template knows no developer role: vLLM makes it a system message");
    const converted = messages.map((message) => {
      if (roleOf(message) !== "developer") {
        return message;
      }
      const copy = PyDict.of(message.entries());
      copy.set("role", "system");
      copy.delete("tools");
      return copy;
    });
    const systems = converted.filter((message) => roleOf(message) === "system");
    if (systems.length === 1 && systems[0] === converted[0]) {
      return converted;
    }
    const texts = systems
      .map((message) => {
        const content = message.get("content") ?? "";
        return isList(content)
          ? content
              .map((part) => (isDict(part) ? textAt(part, "text") : textOf(part)))
              .filter((text) => text !== undefined)
              .join("\n")
          : (textOf(content) ?? "");
      })
      .filter((text) => text !== "");
    const merged = dictOf([
      ["role", "system"],
      ["content", texts.join("\n\n")],
    ]);
    return [merged, ...converted.filter((message) => roleOf(message) !== "system")];
  }
}

/** A tool as vLLM's request model gives it back: known fields in its own order. */
function toolAsVllm(tool: PyValue): PyValue {
  if (!isDict(tool)) {
    return tool;
  }
  const inner = dictAt(tool, "function") ?? tool;
  return dictOf([
    ["type", "function"],
    [
      "function",
      dictOf([
        ["name", inner.get("name")],
        ["description", inner.get("description") ?? null],
        ["parameters", inner.get("parameters") ?? null],
        ["strict", given(inner, "strict")],
        ["defer_loading", given(inner, "defer_loading") ?? given(tool, "defer_loading")],
      ]),
    ],
    ["defer_loading", given(tool, "defer_loading")],
  ]);
}

/** The prompt that vLLM renders for `/v1/chat/completions`. */
export const vllmView: View = (request) => {
  const { template, conversation, continueFinalMessage, kwargs } = request;
  const reserved = ["chat_template", "tokenize"].find((name) => kwargs.has(name));
  if (reserved !== undefined) {
    throw new RenderError(
      "MESSAGES_INVALID",
      `Found unexpected chat template kwargs from request: {'${reserved}'}`,
      { pythonClass: "ValueError", field: `kwargs.${reserved}` },
    );
  }
  const format = template.loopsOverContent("vllm") ? "openai" : "string";
  const reader = new VllmMessages(format);
  const built = conversation.messages.filter(isDict).map((message, index) => reader.message(message, index));
  const knowsDeveloper = /["']developer["']/u.test(template.source);
  const messages = knowsDeveloper ? built : reader.withoutDeveloper(built);
  const rendered = applyTemplate({
    template,
    messages,
    tools: conversation.tools === null ? null : conversation.tools.map(toolAsVllm),
    documents: conversation.documents,
    // The server's own default.
    addGenerationPrompt: request.addGenerationPrompt ?? continueFinalMessage === false,
    continueFinalMessage,
    specialTokens: request.specialTokens,
    kwargs,
  });
  return { ...rendered, warnings: reader.warnings };
};
