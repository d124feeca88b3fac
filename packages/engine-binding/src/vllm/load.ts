import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { NativeLibrary, VllmAddon } from "@onpar/vllm-addon";
import type { Engine, EngineCapabilities, EngineInfo } from "../engine.ts";
import { EngineError } from "../errors.ts";
import { ADDON_PACKAGE, importAddon } from "./addon.ts";
import { EngineChannel } from "./events.ts";
import { readModelFolder, type ModelFolder } from "./model-folder.ts";
import { modelParams, optionOf, type VllmEngineOptions } from "./options.ts";
import { speculationInfo } from "./speculation.ts";
import { VllmEngine } from "./vllm-engine.ts";

/** What the library takes when nobody says how many requests may decode together. */
const DEFAULT_SEQUENCES = 8;

/**
 * Loads a model with libvllm in this process. The package `@onpar/vllm-addon` is loaded here and not before; the library
 * is opened by its path and stays loaded until the process ends.
 *
 * @throws {EngineError} `ENGINE_NOT_INSTALLED`, `ENGINE_LIBRARY_NOT_FOUND`, `ENGINE_LIBRARY_INVALID` (not libvllm, too
 * old), `ENGINE_MODEL_NOT_FOUND`, `ENGINE_MODEL_INVALID` (the library cannot load it), `ENGINE_INVALID_OPTIONS`
 * (out of range, or not in this version of the library); the signal's reason when it aborts
 */
export async function loadVllmEngine(options: VllmEngineOptions): Promise<Engine> {
  const { libraryPath, modelPath, signal, onNote = () => undefined } = options;
  const params = modelParams(options);
  const speculation = speculationInfo(options.speculativeConfig);
  const addon = await importAddon();
  const library = await openLibrary(addon, libraryPath);
  const folder = await readModelFolder(modelPath);
  signal?.throwIfAborted();
  for (const note of notesOn(addon, library, speculation !== null)) onNote(note);

  const channel = startLoading(library, params);
  await loaded(channel, modelPath, signal);
  const capabilities = capabilitiesOf(library);
  const info: EngineInfo = {
    engine: "libvllm",
    engineVersion: `${library.version} (ABI ${library.abiVersion})`,
    model: {
      name: folder.name,
      path: modelPath,
      sizeBytes: folder.sizeBytes,
      parameterCount: null,
      quantisation: null,
    },
    contextSize: contextOf(options.maxModelLen, folder),
    slots: options.maxNumSeqs ?? DEFAULT_SEQUENCES,
    threads: null,
    gpu: null,
    vocabularySize: folder.vocabularySize,
    eosTokenIds: folder.eosTokenIds,
    bosTokenId: folder.bosTokenId,
    addsBos: folder.addsBos,
    chatTemplate: folder.chatTemplate,
    specialTokens: folder.specialTokens,
    speculation,
    capabilities,
  };
  return new VllmEngine(channel, info);
}

/** What the system's loader looks for. */
const SYSTEM_LIBRARY =
  { darwin: "libvllm.dylib", win32: "vllm.dll" }[process.platform as string] ?? "libvllm.so";

async function openLibrary(addon: VllmAddon, given: string | undefined): Promise<NativeLibrary> {
  if (given === undefined) {
    try {
      return addon.open(SYSTEM_LIBRARY);
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      throw new EngineError(
        "ENGINE_LIBRARY_NOT_FOUND",
        `the system has no ${SYSTEM_LIBRARY} that can be used (${message}): give the path of libvllm`,
        { cause },
      );
    }
  }
  // by its name alone the system's loader would look for it elsewhere
  const path = resolve(given);
  const info = await stat(path).catch((cause: unknown) => {
    throw new EngineError(
      "ENGINE_LIBRARY_NOT_FOUND",
      `libvllm not found: ${path} (give the path of the shared library)`,
      {
        cause,
      },
    );
  });
  if (!info.isFile()) {
    throw new EngineError(
      "ENGINE_LIBRARY_INVALID",
      `libvllm is not a file: ${path} (give the path of the shared library)`,
    );
  }
  try {
    return addon.open(path);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new EngineError("ENGINE_LIBRARY_INVALID", `${path} ${message}`, { cause });
  }
}

function notesOn(addon: VllmAddon, library: NativeLibrary, speculates: boolean): string[] {
  const { abiVersion, missing } = library;
  const notes: string[] = [];
  if (abiVersion > addon.newestAbi) {
    notes.push(
      `libvllm has ABI version ${abiVersion}, newer than the ${addon.newestAbi} that ${ADDON_PACKAGE} was written for: ` +
        "it is used as that one",
    );
  }
  const lacks = (name: string, what: string): void => {
    if (missing.includes(name)) notes.push(`libvllm (ABI ${abiVersion}) has no ${name}: ${what}`);
  };
  lacks("vllm_complete_tokens", "prompts of token ids and output token ids cannot be had");
  if (speculates) lacks("vllm_engine_spec_acceptance", "the acceptance of draft tokens is not counted");
  lacks("vllm_chat_stream", "chat requests cannot be answered");
  return notes;
}

function startLoading(library: NativeLibrary, params: ReturnType<typeof modelParams>): EngineChannel {
  try {
    return new EngineChannel(library, params);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    // The addon names the field; the caller knows the option.
    const worded = message.replace(/^\w+/u, (field) => optionOf(field));
    throw new EngineError("ENGINE_INVALID_OPTIONS", worded, { cause });
  }
}

async function loaded(
  channel: EngineChannel,
  modelPath: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  let giveUp = (): void => undefined;
  const given = new Promise<null>((resolve) => (giveUp = () => resolve(null)));
  signal?.addEventListener("abort", giveUp, { once: true });
  try {
    const notice = await Promise.race([channel.loaded, given]);
    if (notice === null) {
      // Loading cannot be interrupted: the model is freed as soon as it is there.
      void channel.close();
      signal?.throwIfAborted();
      return;
    }
    if (notice.kind === "loaded") return;
    const why = notice.error ?? `status ${notice.status}`;
    throw new EngineError("ENGINE_MODEL_INVALID", `libvllm cannot load ${modelPath}: ${why}`);
  } finally {
    signal?.removeEventListener("abort", giveUp);
  }
}

function contextOf(asked: number | undefined, { trainedContext }: ModelFolder): number | null {
  return asked ?? trainedContext;
}

function capabilitiesOf({ missing }: NativeLibrary): EngineCapabilities {
  const has = (name: string): boolean => !missing.includes(name);
  const tokens = has("vllm_complete_tokens");
  return {
    tokenizer: false,
    tokenPrompts: tokens,
    addSpecial: "always",
    tokenIds: tokens ? "token-prompts" : null,
    finishReason: false,
    tokenCounts: false,
    speculationCounters: has("vllm_engine_spec_acceptance"),
    requestSpeculation: false,
    requestDraftBudget: false,
    chat: has("vllm_chat_stream"),
    maxLogprobs: null,
    outputFormats: ["json-schema", "json", "grammar"],
    minTokens: true,
    stopTokenIds: false,
    ignoredEos: "passed",
    prefixCacheReset: false,
    requestCachePrompt: false,
  };
}
