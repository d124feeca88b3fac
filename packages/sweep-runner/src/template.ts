import {
  effectiveTemplateMode,
  templateKwargs,
  type BenchConfig,
  type JsonValue,
  type ResolvedTemplate,
} from "@onpar/bench-config";
import { compileChatTemplate, type CompiledChatTemplate } from "@onpar/chat-render";
import { templateSha256 } from "@onpar/chat-render/node";
import { messageOf, RunError } from "./errors.ts";
import { planOf, userMessage, type TargetPrompt, type WorkloadPrompt } from "./prompt.ts";
import { findTemplates, type FoundTemplate, type TemplateOrigins } from "./template-source.ts";

/** Makes target prompts of workload prompts, and says how. */
export interface PromptRenderer {
  readonly template: ResolvedTemplate;
  /** What the template writes for BOS; null where this side renders none, or the model has none. */
  readonly bosText: string | null;
  /**
   * @throws {RunError} `TEMPLATE_FAILED` naming the prompt; `DATASET_INVALID` for a conversation where no template is
   * applied
   */
  render(prompt: WorkloadPrompt): TargetPrompt;
}

/**
 * Finds the template that the configuration asks for. Where the server renders, its template is named too, if it gives it
 * away: two runs on servers with different templates are not alike however equal their requests are.
 *
 * @throws {RunError} `TEMPLATE_MISSING` when the client is to render and there is none; `TEMPLATE_FAILED` when it cannot be
 * parsed
 */
export async function createPromptRenderer(
  config: BenchConfig,
  origins: TemplateOrigins,
): Promise<PromptRenderer> {
  const requested = { skipChatTemplate: config.skipChatTemplate, chatTemplate: config.chatTemplate };
  const kwargs = templateKwargs(config);
  const mode = effectiveTemplateMode(config);
  if (mode === "server-side") {
    const given = await origins.serverTemplate().catch(unlessUnreachable);
    const named =
      given === null
        ? { source: null, sha256: null }
        : { source: "server", sha256: templateSha256(given.text) };
    return { template: { requested, mode, ...named, kwargs }, bosText: null, render: asConversation };
  }
  if (mode === "none") {
    const template = { requested, mode, source: null, sha256: null, kwargs: {} };
    return { template, bosText: null, render: renderRaw };
  }
  const { plain, withTools } = await findTemplates(config, origins);
  const renderers = { plain: compile(plain), withTools: compile(withTools) };
  return {
    template: { requested, mode, source: plain.source, sha256: plain.sha256, kwargs },
    bosText: plain.specialTokens["bos_token"] ?? null,
    render: (prompt) => renderWith(hasTools(prompt) ? renderers.withTools : renderers.plain, kwargs, prompt),
  };
}

/** Naming the server's template is a courtesy: a server that answers no `/props` can be measured all the same. */
function unlessUnreachable(error: unknown): null {
  if (error instanceof RunError && error.code === "SERVER_UNREACHABLE") return null;
  throw error;
}

/** An empty list of tools counts, as it does for transformers. */
function hasTools(prompt: WorkloadPrompt): boolean {
  return prompt.kind === "conversation" && (prompt.conversation.tools ?? null) !== null;
}

function asConversation(prompt: WorkloadPrompt): TargetPrompt {
  return prompt.kind === "text"
    ? { id: prompt.id, kind: "conversation", conversation: userMessage(prompt.text), ...planOf(prompt) }
    : prompt;
}

function renderRaw(prompt: WorkloadPrompt): TargetPrompt {
  if (prompt.kind === "ids") return prompt;
  if (prompt.kind === "text")
    return { id: prompt.id, kind: "text", text: prompt.text, addSpecialTokens: true, ...planOf(prompt) };
  throw new RunError(
    "DATASET_INVALID",
    `prompt ${prompt.id} is a conversation, and the chat template is skipped: there is no raw text to send; ` +
      "add --no-skip-chat-template, or use --endpoint chat-completions",
  );
}

interface CompiledTemplate {
  readonly found: FoundTemplate;
  readonly compiled: CompiledChatTemplate;
}

function renderWith(
  { found, compiled }: CompiledTemplate,
  kwargs: Readonly<Record<string, JsonValue>>,
  prompt: WorkloadPrompt,
): TargetPrompt {
  if (prompt.kind === "ids") {
    const message = `prompt ${prompt.id} is made of token ids, which no chat template can render: use random-text`;
    throw new RunError("TARGET_INVALID", message);
  }
  const { messages, tools } = prompt.kind === "text" ? userMessage(prompt.text) : prompt.conversation;
  try {
    const { text } = compiled.render(
      { messages, ...(tools === undefined ? {} : { tools }) },
      { addGenerationPrompt: true, specialTokens: found.specialTokens, kwargs },
    );
    return { id: prompt.id, kind: "text", text, addSpecialTokens: false, ...planOf(prompt) };
  } catch (error) {
    const message = `the chat template (${found.source}) cannot render prompt ${prompt.id}: ${messageOf(error)}`;
    throw new RunError("TEMPLATE_FAILED", message, { cause: error });
  }
}

function compile(found: FoundTemplate): CompiledTemplate {
  try {
    return { found, compiled: compileChatTemplate(found.text) };
  } catch (error) {
    const message = `the chat template (${found.source}) cannot be parsed: ${messageOf(error)}`;
    throw new RunError("TEMPLATE_FAILED", message, { cause: error });
  }
}
