import type { BenchConfig } from "@onpar/bench-config";
import { loadChatTemplate, templateSha256 } from "@onpar/chat-render/node";
import type { Engine } from "@onpar/engine-binding";
import { messageOf, RunError } from "./errors.ts";

/** A chat template as a server gives it away (llama.cpp's `/props`). */
export interface ServerTemplate {
  readonly text: string;
  readonly specialTokens: SpecialTokens;
}

export type SpecialTokens = Readonly<Record<string, string>>;

/** A template and what it is rendered with. */
export interface FoundTemplate {
  readonly text: string;
  /** Path, `literal`, `gguf`, `model folder` or `server`. */
  readonly source: string;
  readonly sha256: string;
  readonly specialTokens: SpecialTokens;
}

/** The templates of a model: conversations with tools may have one of their own. */
export interface FoundTemplates {
  readonly plain: FoundTemplate;
  readonly withTools: FoundTemplate;
}

/** Where a template and special tokens can be had besides the configuration. */
export interface TemplateOrigins {
  readonly engine: Engine | null;
  /** Asks the server; null when it gives none away. */
  readonly serverTemplate: () => Promise<ServerTemplate | null>;
}

/**
 * Finds the template that the client renders with: the one asked for, the model's, the engine's, the server's.
 *
 * @throws {RunError} `TEMPLATE_MISSING` when there is none: roles are never joined by guess
 */
export async function findTemplates(config: BenchConfig, origins: TemplateOrigins): Promise<FoundTemplates> {
  const { chatTemplate, tokenizer } = config;
  if (chatTemplate !== null) return fromFiles(chatTemplate, true, () => specialTokens(config, origins));
  if (tokenizer !== null) return fromFiles(tokenizer, false, () => specialTokens(config, origins));
  const own = await ownTemplate(origins);
  if (own !== null) return { plain: own, withTools: own };
  const { engine } = origins;
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

async function ownTemplate({ engine, serverTemplate }: TemplateOrigins): Promise<FoundTemplate | null> {
  if (engine !== null) {
    const { chatTemplate: text, specialTokens: tokens } = engine.info;
    return text === null
      ? null
      : {
          text,
          source: engine.info.engine === "llama.cpp" ? "gguf" : "model folder",
          sha256: templateSha256(text),
          specialTokens: tokens,
        };
  }
  const given = await serverTemplate();
  return given === null ? null : { ...given, source: "server", sha256: templateSha256(given.text) };
}

/** A file or literal, with its own special tokens or, where it names none, with those found elsewhere. */
async function fromFiles(
  source: string,
  allowLiteral: boolean,
  elsewhere: () => Promise<SpecialTokens>,
): Promise<FoundTemplates> {
  const load = async (tools: boolean): Promise<FoundTemplate> => {
    try {
      const found = await loadChatTemplate(source, { allowLiteral, tools });
      return {
        text: found.template,
        source: found.path ?? found.kind,
        sha256: found.sha256,
        specialTokens: found.specialTokens,
      };
    } catch (error) {
      throw new RunError("TEMPLATE_MISSING", messageOf(error), { cause: error });
    }
  };
  const [plain, withTools] = [await load(false), await load(true)];
  if (Object.keys(plain.specialTokens).length > 0) return { plain, withTools };
  const tokens = await elsewhere();
  return { plain: { ...plain, specialTokens: tokens }, withTools: { ...withTools, specialTokens: tokens } };
}

/** Special tokens of the model for a template that stands in a file of its own. */
async function specialTokens(
  { chatTemplate, tokenizer }: BenchConfig,
  { engine, serverTemplate }: TemplateOrigins,
): Promise<SpecialTokens> {
  if (chatTemplate !== null && tokenizer !== null) {
    const { plain } = await fromFiles(tokenizer, false, () => Promise.resolve({}));
    return plain.specialTokens;
  }
  if (engine !== null) return engine.info.specialTokens;
  return (await serverTemplate())?.specialTokens ?? {};
}
