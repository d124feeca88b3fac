import { stat } from "node:fs/promises";

import { EngineError, loadLlamaEngine, type Engine } from "@onpar/engine-binding";

import { CliError, exitCodes, usageError } from "./cli-error.ts";
import type { CliEnvironment } from "./environment.ts";
import type { ServeSettings } from "./flags.ts";

async function checkFile(path: string, flag: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found === null) throw usageError(`${flag}: there is no file ${path}`);
  if (!found.isFile()) throw usageError(`${flag}: ${path} is not a file`);
}

/** Shows the share that is loaded, on a terminal only; returns the function that clears it. */
function progress(
  { stderr }: CliEnvironment,
  quiet: boolean,
): { show: (share: number) => void; clear: () => void } {
  if (stderr.isTTY !== true || quiet) return { show: () => {}, clear: () => {} };
  let shown = -1;
  return {
    show: (share) => {
      const percent = Math.floor(share * 100);
      if (percent === shown) return;
      shown = percent;
      stderr.write(`\rloading the model ${percent} %`);
    },
    clear: () => {
      if (shown >= 0) stderr.write("\r\u001B[K");
    },
  };
}

const usageCodes: ReadonlySet<string> = new Set([
  "ENGINE_MODEL_NOT_FOUND",
  "ENGINE_MODEL_INVALID",
  "ENGINE_INVALID_OPTIONS",
]);

/** A message of the engine in the words of the command line. */
function inFlags(message: string): string {
  return message.replace(/\bcontextSize\b/g, "--ctx").replace(/\bdraftTokens\b/g, "--draft-tokens");
}

/** @throws {CliError} exit code 2 when a file or an option cannot be used, 1 when the engine fails */
export async function loadEngine(
  settings: ServeSettings,
  environment: CliEnvironment,
  signal: AbortSignal,
  onShare: (share: number) => void,
): Promise<Engine> {
  await checkFile(settings.modelPath, "--model");
  if (settings.draftModelPath !== null) await checkFile(settings.draftModelPath, "--draft-model");
  const { show, clear } = progress(environment, settings.quiet);
  try {
    return await loadLlamaEngine({
      modelPath: settings.modelPath,
      ...(settings.draftModelPath === null
        ? {}
        : {
            draftModelPath: settings.draftModelPath,
            draftTokens: settings.draftTokens,
            draftLength: settings.draftLength,
          }),
      slots: settings.slots,
      threads: settings.threads,
      ...(settings.contextSize === null ? {} : { contextSize: settings.contextSize }),
      onLoadProgress(share) {
        show(share);
        onShare(share);
      },
      signal,
    });
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    const exitCode = usageCodes.has(error.code) ? exitCodes.usage : exitCodes.failed;
    throw new CliError(inFlags(error.message), { exitCode, cause: error });
  } finally {
    clear();
  }
}
