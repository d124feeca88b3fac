import { basename, dirname, join, resolve } from "node:path";
import { sha256 } from "../chat/sha256.ts";
import { readGguf } from "./gguf-metadata.ts";
import { beginsWith, namesIn, readJson, readText, statOrNull } from "./read-file.ts";
import { TemplateNotFoundError } from "./template-error.ts";
import { readServer, type ServerOptions } from "./server.ts";
import { readTokenizerConfig } from "./tokenizer-config.ts";
import type { CarriedTemplates } from "./tokenizer-config.ts";

const MAX_TEMPLATE_BYTES = 4 * 1024 * 1024;
const MAX_CONFIG_BYTES = 64 * 1024 * 1024;

const MAX_SHOWN_CHARS = 200;

const TEMPLATE_FILE = "chat_template.jinja";
const PROCESSOR_FILE = "chat_template.json";
const TOKENS_FILE = "special_tokens_map.json";
const CONFIG_FILE = "tokenizer_config.json";
const ADDITIONAL_FOLDER = "additional_chat_templates";

/** Which template to take where a source could mean several. */
export interface LoadTemplateOptions {
  /** Whether a source that is no path but contains `{` is the template itself. Default true. */
  readonly allowLiteral?: boolean;
  /** Name of the template to take, where the model carries several. */
  readonly name?: string;
  /** Whether the conversation has tools (an empty list counts): takes `tool_use` where the model carries it. */
  readonly tools?: boolean;
  /** For a source that is the address of a server. */
  readonly server?: ServerOptions;
}

/** A template and where it came from. */
export interface LoadedTemplate {
  readonly template: string;
  readonly kind: "folder" | "file" | "literal" | "gguf" | "server";
  /** Absolute path of the file, or address of the server, that the template was read from; null for a literal. */
  readonly path: string | null;
  /** `default`, `tool_use`, or the name that the model gives it. */
  readonly name: string;
  /** The model's special tokens, for `applyChatTemplate`. A file that is only a template has none. */
  readonly specialTokens: Readonly<Record<string, string>>;
  /** sha256 (hex) of the template. */
  readonly sha256: string;
}

/** sha256 (hex) of a template's text in UTF-8. */
export function templateSha256(text: string): string {
  return sha256(text);
}

/** As transformers chooses: the named one; with tools `tool_use`; else `default`. */
function chooseName(where: string, carried: CarriedTemplates, options: LoadTemplateOptions): string {
  const names = [...carried.templates.keys()];
  if (names.length === 0) {
    throw new TemplateNotFoundError("TEMPLATE_NOT_FOUND", `${where}: carries no chat template`);
  }
  const wanted =
    options.name ?? (options.tools === true && carried.templates.has("tool_use") ? "tool_use" : "default");
  if (!carried.templates.has(wanted)) {
    const message = `${where}: has no chat template named "${wanted}", only ${names.join(", ")}`;
    throw new TemplateNotFoundError("TEMPLATE_NOT_FOUND", message);
  }
  return wanted;
}

interface Found {
  readonly kind: LoadedTemplate["kind"];
  readonly carried: CarriedTemplates;
  /** The file behind a template of that name. */
  readonly pathOf: (name: string) => string;
}

const nothing: CarriedTemplates = { templates: new Map(), specialTokens: {} };

async function readConfig(path: string): Promise<CarriedTemplates> {
  return (await statOrNull(path)) === null
    ? nothing
    : readTokenizerConfig(path, await readJson(path, MAX_CONFIG_BYTES));
}

/** What the JSON files of a model folder carry. Older models have tokens or the template in files of their own. */
async function readConfigs(folder: string): Promise<Found> {
  const configPath = join(folder, CONFIG_FILE);
  const config = await readConfig(configPath);
  const tokens = await readConfig(join(folder, TOKENS_FILE));
  const specialTokens = { ...tokens.specialTokens, ...config.specialTokens };
  const processorPath = join(folder, PROCESSOR_FILE);
  const processor = config.templates.size === 0 ? await readConfig(processorPath) : nothing;
  const templates = config.templates.size === 0 ? processor.templates : config.templates;
  const path = processor.templates.size === 0 ? configPath : processorPath;
  return { kind: "folder", carried: { templates, specialTokens }, pathOf: () => path };
}

/** Template files of a folder by name; any of them replaces what tokenizer_config.json has. */
async function templateFiles(folder: string): Promise<Map<string, string>> {
  const additional = await namesIn(join(folder, ADDITIONAL_FOLDER));
  const paths = new Map(
    additional
      .filter((file) => file.endsWith(".jinja"))
      .map((file) => [basename(file, ".jinja"), join(folder, ADDITIONAL_FOLDER, file)]),
  );
  const main = join(folder, TEMPLATE_FILE);
  if ((await statOrNull(main)) !== null) {
    paths.set("default", main);
  }
  return paths;
}

async function findInFolder(folder: string): Promise<Found> {
  const config = await readConfigs(folder);
  const files = await templateFiles(folder);
  if (files.size === 0) {
    return config;
  }
  const templates = new Map<string, string>();
  for (const [name, path] of files) {
    templates.set(name, await readText(path, MAX_TEMPLATE_BYTES));
  }
  return {
    kind: "folder",
    carried: { templates, specialTokens: config.carried.specialTokens },
    pathOf: (name) => files.get(name) ?? folder,
  };
}

async function findInFile(path: string): Promise<Found> {
  if (await beginsWith(path, "GGUF")) {
    return { kind: "gguf", carried: await readGguf(path), pathOf: () => path };
  }
  if (path.endsWith(".gguf")) {
    throw new TemplateNotFoundError("TEMPLATE_UNREADABLE", `${path}: cannot be read: it is not a GGUF file`);
  }
  if (path.endsWith(".json")) {
    return { kind: "file", carried: await readConfig(path), pathOf: () => path };
  }
  const template = await readText(path, MAX_TEMPLATE_BYTES);
  // A template inside a model folder goes with that model's special tokens.
  const beside = basename(path) === TEMPLATE_FILE ? (await readConfigs(dirname(path))).carried : nothing;
  const carried = { templates: new Map([["default", template]]), specialTokens: beside.specialTokens };
  return { kind: "file", carried, pathOf: () => path };
}

function literal(source: string): LoadedTemplate {
  return {
    template: source,
    kind: "literal",
    path: null,
    name: "default",
    specialTokens: {},
    sha256: templateSha256(source),
  };
}

async function find(
  source: string,
  options: LoadTemplateOptions,
): Promise<[where: string, found: Found] | null> {
  if (/^https?:\/\//u.test(source)) {
    const { carried, address } = await readServer(source, options.server);
    return [source, { kind: "server", carried, pathOf: () => address }];
  }
  const path = resolve(source);
  // An empty source would resolve to the working folder.
  const stats = source === "" ? null : await statOrNull(path);
  if (stats === null) {
    return null;
  }
  return [path, stats.isDirectory() ? await findInFolder(path) : await findInFile(path)];
}

/**
 * Finds a chat template: a model folder (`chat_template.jinja` and `additional_chat_templates/` come before
 * `tokenizer_config.json`), a `tokenizer_config.json`, a GGUF file (its metadata), any other text file, the address of a
 * server that gives its template away, or a literal.
 *
 * @throws TemplateNotFoundError where there is none. Nothing takes its place.
 */
export async function loadChatTemplate(
  source: string,
  options: LoadTemplateOptions = {},
): Promise<LoadedTemplate> {
  const result = await find(source, options);
  if (result === null) {
    if ((options.allowLiteral ?? true) && source.includes("{")) {
      return literal(source);
    }
    const shown = source.length > MAX_SHOWN_CHARS ? `${source.slice(0, MAX_SHOWN_CHARS)}…` : source;
    const message = `${shown === "" ? '""' : shown}: there is no such file or folder`;
    throw new TemplateNotFoundError("TEMPLATE_NOT_FOUND", message);
  }
  const [where, { kind, carried, pathOf }] = result;
  const name = chooseName(where, carried, options);
  const template = carried.templates.get(name) ?? "";
  return {
    template,
    kind,
    path: pathOf(name),
    name,
    specialTokens: carried.specialTokens,
    sha256: templateSha256(template),
  };
}
