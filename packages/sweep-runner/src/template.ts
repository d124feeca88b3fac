import {
  effectiveTemplateMode,
  templateKwargs,
  type BenchConfig,
  type JsonValue,
  type ResolvedTemplate,
} from "@onpar/bench-config";
import { compileChatTemplate, type CompiledChatTemplate } from "@onpar/chat-render";
import { loadChatTemplate, templateSha256 } from "@onpar/chat-render/node";
import type { Engine } from "@onpar/engine-binding";
import { messageOf, RunError } from "./errors.ts";
import { userMessage, type TargetPrompt, type WorkloadPrompt } from "./prompt.ts";

/** A chat template as a server gives it away (llama.cpp's `/props`). */
export interface ServerTemplate {
  readonly text: string;
  readonly specialTokens: Readonly<Record<string, string>>;
}

/** Makes target prompts of workload prompts, and says how. */
export interface PromptRenderer {
  readonly template: ResolvedTemplate;
  /**
   * @throws {RunError} `TEMPLATE_FAILED` naming the prompt; `REQUEST_REFUSED` for a conversation where no template is
   * applied
   */
  render(prompt: WorkloadPrompt): TargetPrompt;
}

interface LoadedTemplate {
  readonly text: string;
  readonly source: string;
  readonly sha256: string;
  readonly specialTokens: Readonly<Record<string, string>>;
}

/**
 * Finds the template that the configuration asks for.
 *
 * @param serverTemplate asked only when neither the configuration nor the engine has a template
 * @throws {RunError} `TEMPLATE_MISSING` when there is none: roles are never joined by guess
 */
export async function createPromptRenderer(
  config: BenchConfig,
  engine: Engine | null,
  serverTemplate: () => Promise<ServerTemplate | null>,
): Promise<PromptRenderer> {
  const requested = { skipChatTemplate: config.skipChatTemplate, chatTemplate: config.chatTemplate };
  const kwargs = templateKwargs(config);
  const mode = effectiveTemplateMode(config);
  if (mode === "server-side") {
    return {
      template: { requested, mode, source: null, sha256: null, kwargs },
      render: (prompt) =>
        prompt.kind === "text"
          ? { id: prompt.id, kind: "conversation", conversation: userMessage(prompt.text) }
          : prompt,
    };
  }
  if (mode === "none") {
    return {
      template: { requested, mode, source: null, sha256: null, kwargs: {} },
      render: renderRaw,
    };
  }
  const loaded = await findTemplate(config, engine, serverTemplate);
  const compiled = compile(loaded);
  return {
    template: { requested, mode, source: loaded.source, sha256: loaded.sha256, kwargs },
    render: (prompt) => renderWith(compiled, loaded, kwargs, prompt),
  };
}

function renderRaw(prompt: WorkloadPrompt): TargetPrompt {
  if (prompt.kind === "text")
    return { id: prompt.id, kind: "text", text: prompt.text, addSpecialTokens: true };
  throw new RunError(
    "REQUEST_REFUSED",
    `prompt ${prompt.id} is a conversation, and the chat template is skipped: there is no raw text to send; ` +
      "add --no-skip-chat-template, or use --endpoint chat-completions",
  );
}

function renderWith(
  compiled: CompiledChatTemplate,
  loaded: LoadedTemplate,
  kwargs: Readonly<Record<string, JsonValue>>,
  prompt: WorkloadPrompt,
): TargetPrompt {
  const { messages, tools } = prompt.kind === "text" ? userMessage(prompt.text) : prompt.conversation;
  try {
    const { text } = compiled.render(
      { messages, ...(tools === undefined ? {} : { tools }) },
      { addGenerationPrompt: true, specialTokens: loaded.specialTokens, kwargs },
    );
    return { id: prompt.id, kind: "text", text, addSpecialTokens: false };
  } catch (error) {
    const message = `the chat template (${loaded.source}) cannot render prompt ${prompt.id}: ${messageOf(error)}`;
    throw new RunError("TEMPLATE_FAILED", message, { cause: error });
  }
}

function compile(loaded: LoadedTemplate): CompiledChatTemplate {
  try {
    return compileChatTemplate(loaded.text);
  } catch (error) {
    throw new RunError(
      "TEMPLATE_FAILED",
      `the chat template (${loaded.source}) cannot be parsed: ${messageOf(error)}`,
      {
        cause: error,
      },
    );
  }
}

async function findTemplate(
  config: BenchConfig,
  engine: Engine | null,
  serverTemplate: () => Promise<ServerTemplate | null>,
): Promise<LoadedTemplate> {
  const { chatTemplate, tokenizer } = config;
  if (chatTemplate !== null) return fromSource(chatTemplate, true, engine);
  if (tokenizer !== null) return fromSource(tokenizer, false, engine);
  if (engine !== null && engine.info.chatTemplate !== null) {
    const text = engine.info.chatTemplate;
    return { text, source: "gguf", sha256: templateSha256(text), specialTokens: engine.info.specialTokens };
  }
  const given = engine === null ? await serverTemplate() : null;
  if (given !== null) {
    return {
      text: given.text,
      source: "server",
      sha256: templateSha256(given.text),
      specialTokens: given.specialTokens,
    };
  }
  const where =
    engine === null
      ? `the server at ${config.target.baseUrl} does not give its template away`
      : `${engine.info.model.name} carries no template`;
  throw new RunError(
    "TEMPLATE_MISSING",
    `--no-skip-chat-template asks for a chat template, and ${where}: name one with --chat-template FILE, or a model ` +
      "folder or GGUF file with --tokenizer" +
      (engine === null ? ", or let the server render with --endpoint chat-completions" : ""),
  );
}

async function fromSource(
  source: string,
  allowLiteral: boolean,
  engine: Engine | null,
): Promise<LoadedTemplate> {
  try {
    const { template, kind, path, specialTokens, sha256 } = await loadChatTemplate(source, { allowLiteral });
    const tokens = Object.keys(specialTokens).length > 0 ? specialTokens : (engine?.info.specialTokens ?? {});
    return { text: template, source: path ?? kind, sha256, specialTokens: tokens };
  } catch (error) {
    throw new RunError("TEMPLATE_MISSING", messageOf(error), { cause: error });
  }
}
