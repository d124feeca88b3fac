import { RenderError } from "../error.ts";
import { jsonText } from "../python/filters/tojson.ts";
import { PyDict, isList, isStr, textOf, type PyValue, isDict } from "../python/value.ts";
import { strftime } from "../python/strftime.ts";
import { capabilitiesOf, type TemplateCapabilities } from "./llama-caps.ts";
import { dictAt, dictOf, given, listAt, roleOf, textAt } from "./python-dict.ts";
import { argumentsAsDict } from "./tool-arguments.ts";
import type { Rendered, RenderWarning, View, ViewRequest, ViewTemplate } from "./view.ts";

/*
 * What llama-server does to a chat request before and after its template. The template itself is rendered with Python's
 * semantics; llama.cpp's own engine parts from them in places.
 */

/** Templates that llama.cpp has code of its own for, by a text that they hold. */
const ownCode: readonly (readonly [mark: string, name: string])[] = [
  ["[SYSTEM_PROMPT]", "Ministral"],
  ["<|channel|>", "gpt-oss"],
  [">>>all", "Functionary v3.2"],
  ["<|tool_calls_section_begin|>", "Kimi K2"],
  ["dsml_token", "DeepSeek V3.2"],
  ["'<|tool_call>call:'", "Gemma 4"],
  ["<|tool_list_start|>", "LFM2"],
];

function refuse(message: string): never {
  throw new RenderError("MESSAGES_INVALID", message);
}

function joined(parts: readonly PyValue[]): string {
  return parts
    .filter((part) => isDict(part))
    .map((part) => textAt(part, "text") ?? "")
    .join("\n");
}

function contentOf(message: PyDict, caps: TemplateCapabilities, warnings: RenderWarning[]): PyValue {
  const content = message.get("content") ?? "";
  if (isList(content)) {
    for (const part of content) {
      if (!isDict(part) || textAt(part, "type") !== "text") {
        warnings.push({
          code: "VIEW_APPROXIMATE",
          message: "llama.cpp puts a marker of its own for images and sound, or refuses the part",
        });
      }
    }
    const texts = content
      .filter((part) => isDict(part) && textAt(part, "type") === "text")
      .map((part) =>
        dictOf([
          ["type", "text"],
          ["text", isDict(part) ? part.get("text") : ""],
        ]),
      );
    if (texts.length === 0) {
      return "";
    }
    return caps.stringContent && !caps.typedContent ? joined(texts) : texts;
  }
  if (!isStr(content)) {
    refuse("Expected 'content' to be a string or an array");
  }
  return caps.typedContent && !caps.stringContent
    ? [
        dictOf([
          ["type", "text"],
          ["text", content],
        ]),
      ]
    : content;
}

function toolCall(call: PyValue, objects: boolean): PyValue {
  if (!isDict(call)) {
    return call;
  }
  const inner = dictAt(call, "function") ?? call;
  const args = inner.get("arguments") ?? null;
  const text = textOf(args) ?? jsonText(args, { separators: [",", ":"] });
  const value = objects ? argumentsAsDict(args) : text;
  if (value === null) {
    refuse("Failed to parse tool call arguments as JSON");
  }
  return dictOf([
    ["type", "function"],
    [
      "function",
      dictOf([
        ["name", inner.get("name")],
        ["arguments", value],
      ]),
    ],
    ["id", given(call, "id")],
  ]);
}

function messageOf(message: PyDict, caps: TemplateCapabilities, warnings: RenderWarning[]): PyDict {
  const nonEmpty = (key: string): string | undefined => textAt(message, key) || undefined;
  const calls = listAt(message, "tool_calls") ?? [];
  return dictOf([
    ["role", roleOf(message)],
    ["content", contentOf(message, caps, warnings)],
    ["reasoning_content", nonEmpty("reasoning_content")],
    ["name", nonEmpty("name")],
    ["tool_call_id", nonEmpty("tool_call_id")],
    [
      "tool_calls",
      calls.length === 0 ? undefined : calls.map((call) => toolCall(call, caps.objectArguments)),
    ],
  ]);
}

function toolOf(tool: PyValue): PyValue {
  const outer = isDict(tool) ? tool : new PyDict();
  const inner = dictAt(outer, "function") ?? outer;
  return dictOf([
    ["type", "function"],
    [
      "function",
      dictOf([
        ["name", inner.get("name")],
        ["description", inner.get("description") ?? ""],
        ["parameters", inner.get("parameters") ?? new PyDict()],
      ]),
    ],
  ]);
}

function withRole(message: PyDict, role: string): PyDict {
  const copy = PyDict.of(message.entries());
  copy.set("role", role);
  return copy;
}

/** A system message for a template that knows none goes into the message after it. */
function mergedSystem(messages: readonly PyDict[], warnings: RenderWarning[]): readonly PyDict[] {
  const [first, second, ...rest] = messages;
  if (first === undefined || roleOf(first) !== "system") {
    return messages;
  }
  if (second === undefined) {
    warnings.push({ code: "VIEW_CHANGED_INPUT", message: "llama.cpp drops the only message, a system one" });
    return [];
  }
  warnings.push({
    code: "VIEW_CHANGED_INPUT",
    message: "the template has no system role: llama.cpp puts its text into the next message",
  });
  const copy = PyDict.of(second.entries());
  copy.set("content", `${textAt(first, "content") ?? ""}\n${textAt(second, "content") ?? ""}`);
  return [copy, ...rest];
}

/** Names under which templates ask whether earlier reasoning stays, and how much there shall be. */
function impliedVariables(kwargs: ViewRequest["kwargs"]): (readonly [string, PyValue])[] {
  const implied: (readonly [string, PyValue])[] = [];
  const preserve = kwargs.get("preserve_reasoning");
  if (typeof preserve === "boolean") {
    implied.push(
      ["preserve_thinking", preserve],
      ["clear_thinking", !preserve],
      ["truncate_history_thinking", !preserve],
      ["drop_thinking", !preserve],
    );
  }
  const effort = textOf(kwargs.get("reasoning_effort") ?? null);
  if (effort !== undefined && effort !== "") {
    implied.push(["reasoning_strength", effort]);
  }
  return implied;
}

/** One render for one conversation; the generation prompt comes and goes. */
class LlamaRender {
  readonly request: ViewRequest;
  readonly template: ViewTemplate;
  readonly #bos: string;
  readonly #caps: TemplateCapabilities;

  constructor(request: ViewRequest, caps: TemplateCapabilities) {
    this.request = request;
    this.template = request.template;
    this.#caps = caps;
    this.#bos = textOf(request.specialTokens.get("bos_token") ?? null) ?? "";
  }

  #variables(messages: readonly PyDict[], addGenerationPrompt: boolean): Map<string, PyValue> {
    const { specialTokens, conversation, kwargs, now } = this.request;
    const tools = conversation.tools ?? [];
    return new Map<string, PyValue>([
      ...impliedVariables(kwargs),
      ["messages", messages],
      ["bos_token", this.#bos],
      ["eos_token", specialTokens.get("eos_token") ?? ""],
      ["enable_thinking", this.#caps.reasoning !== null],
      ...(tools.length === 0 ? [] : [["tools", tools.map(toolOf)] as const]),
      ["datetime", strftime(now, "%b %d %Y")],
      ["date_string", strftime(now, "%d %b %Y")],
      ...kwargs,
      ...(addGenerationPrompt ? [["add_generation_prompt", true] as const] : []),
    ]);
  }

  /** Without the BOS text at its start: the server's tokenizer adds it. */
  render(messages: readonly PyDict[], addGenerationPrompt: boolean): Rendered {
    const { text, spans } = this.template.render(this.#variables(messages, addGenerationPrompt));
    const cut = this.request.tokenizerAddsBos && text.startsWith(this.#bos) ? this.#bos.length : 0;
    const moved = spans.map(({ start, end, size }) => ({
      start: Math.max(0, start - cut),
      end: Math.max(0, end - cut),
      size,
    }));
    return { text: text.slice(cut), spans: moved };
  }

  /** The prompt up to the last message, the start of an answer, and what is to be continued. */
  continued(before: readonly PyDict[], last: PyDict): Rendered {
    const prompt = this.render(before, false);
    const content = last.get("content") ?? "";
    const text = isList(content) ? joined(content) : (textOf(content) ?? "");
    const thought = textAt(last, "reasoning_content") ?? "";
    if (text === "" && thought === "") {
      return prompt;
    }
    const opened = this.render(before, true).text;
    let shared = 0;
    while (shared < prompt.text.length && prompt.text[shared] === opened[shared]) {
      shared += 1;
    }
    let start = opened.slice(shared);
    const { reasoning } = this.#caps;
    if (reasoning !== null && reasoning.start !== "") {
      const at = start.indexOf(reasoning.start);
      start = (at === -1 ? start : start.slice(0, at)) + reasoning.start + thought;
      start += text === "" && thought !== "" ? "" : reasoning.end;
    }
    return { text: prompt.text + start + text, spans: prompt.spans };
  }
}

/** The prompt of llama-server's `/apply-template`, which is also what it tokenizes for `/v1/chat/completions`. */
export const llamaCppView: View = (request) => {
  const { template, conversation, continueFinalMessage } = request;
  const warnings: RenderWarning[] = [];
  const caps = capabilitiesOf(template);
  let messages: readonly PyDict[] = conversation.messages
    .filter(isDict)
    .map((message) => messageOf(message, caps, warnings));
  const own = ownCode.find(([mark]) => template.source.includes(mark));
  if (own !== undefined) {
    const message = `llama.cpp has code of its own for ${own[1]} templates, which may change the prompt`;
    warnings.push({ code: "VIEW_APPROXIMATE", message });
  }
  const last = messages.at(-1);
  const continues = continueFinalMessage !== false || (last !== undefined && roleOf(last) === "assistant");
  if (continues && roleOf(messages.at(-2)) === "assistant") {
    refuse("Cannot have 2 or more assistant messages at the end of the list.");
  }
  if (continues && last !== undefined && (listAt(last, "tool_calls") ?? []).length > 0) {
    refuse("Cannot continue an assistant message that contains tool calls.");
  }
  if (!template.source.includes("<|channel|>")) {
    messages = messages.map((message) =>
      roleOf(message) === "developer" ? withRole(message, "system") : message,
    );
  }
  const prepared = (list: readonly PyDict[]): readonly PyDict[] =>
    caps.systemRole ? list : mergedSystem(list, warnings);
  const llama = new LlamaRender(request, caps);
  if (!continues || last === undefined) {
    return { ...llama.render(prepared(messages), request.addGenerationPrompt ?? true), warnings };
  }
  if (continueFinalMessage === false) {
    const message = "llama.cpp continues a last message of the assistant instead of starting an answer";
    warnings.push({ code: "VIEW_CHANGED_INPUT", message });
  }
  return { ...llama.continued(prepared(messages.slice(0, -1)), last), warnings };
};
