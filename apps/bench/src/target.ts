import { benchFlags, type BenchConfig, type ConfigLayer, type FlagValues } from "@onpar/bench-config";
import { EngineError, loadLlamaEngine, loadVllmEngine, type Engine } from "@onpar/engine-binding";
import { Option, type Command } from "commander";

import { flagOfOption, llamaOptions, vllmOptions } from "./engine-options.ts";
import type { Env } from "./env.ts";
import type { Progress } from "./progress.ts";
import { UsageError } from "./usage-error.ts";

/**
 * A key that was asked for by name has to be there: without it the server would be asked as a stranger.
 *
 * @param isNamed whether somebody named the variable, so that it is not the default
 * @throws {UsageError} when a variable that was named is not set
 */
export function checkApiKey(config: BenchConfig, isNamed: boolean, env: Env): void {
  if (!isNamed || apiKeyOf(config, env) !== null) return;
  throw new UsageError(`--api-key-env ${config.target.apiKeyEnv}: that environment variable is not set`);
}

/** The key that the configuration names, or null when that variable is not set. */
export function apiKeyOf(config: BenchConfig, env: Env): string | null {
  const key = env.variables[config.target.apiKeyEnv];
  return key === undefined || key === "" ? null : key;
}

/** What loading an engine is told through and stopped by. */
export interface EngineContext {
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/**
 * Runs a task with the in-process engine that the configuration asks for (null for a server) and frees it afterwards.
 */
export async function withEngine<T>(
  config: BenchConfig,
  context: EngineContext,
  task: (engine: Engine | null) => Promise<T>,
): Promise<T> {
  const { modelPath } = config.engine;
  if (config.target.endpoint !== "engine" || modelPath === null) return task(null);
  context.progress.announce(`loading ${modelPath}`);
  const engine = await loadEngine(config, modelPath, context);
  try {
    return await task(engine);
  } finally {
    await engine.dispose();
  }
}

/** @throws {EngineError} with the flag where the engine names its option */
export async function loadEngine(
  config: BenchConfig,
  modelPath: string,
  { progress, signal }: EngineContext,
): Promise<Engine> {
  const { kind } = config.engine;
  try {
    if (kind === "llama") return await loadLlamaEngine(llamaOptions(config, modelPath, signal));
    const onNote = (note: string): void => progress.announce(note);
    return await loadVllmEngine({ ...vllmOptions(config, modelPath, signal), onNote });
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== "ENGINE_INVALID_OPTIONS") throw error;
    const message = error.message.replace(/^\w+/, (name) => flagOfOption(kind, name));
    throw new EngineError(error.code, message, { cause: error });
  }
}

/** The flag for the model pair that comes with this program. */
export interface DemoFlag {
  readonly demo?: boolean;
}

const DEMO_SETTINGS = [
  "target.endpoint",
  "engine.modelPath",
  "engine.draftModelPath",
  "engine.draftTokens",
  "engine.threads",
];

export function addDemoFlag(command: Command): void {
  command.addOption(
    new Option("--demo", "Run the small model pair that comes with this program, in this process.").helpGroup(
      "In-process engine (--endpoint engine):",
    ),
  );
}

/**
 * `--demo` as settings below those of the flags: the bundled pair on the in-process engine.
 *
 * @throws {UsageError} when the flags name another endpoint or model
 */
export async function demoLayers({ demo }: DemoFlag, given: FlagValues): Promise<ConfigLayer[]> {
  if (demo !== true) return [];
  for (const flag of ["endpoint", "model", "engineModel", "draftModel"]) {
    const values = given[flag];
    if (values === undefined || (flag === "endpoint" && String(values) === "engine")) continue;
    const spelling = benchFlags.find(({ key }) => key === flag)?.flag ?? flag;
    throw new UsageError(`--demo chooses the model and the endpoint; leave out --demo or ${spelling}`);
  }
  const { demoModel } = await import("@onpar/demo-model");
  const value = {
    target: { endpoint: "engine" },
    engine: {
      modelPath: demoModel.target.path,
      draftModelPath: demoModel.draft.path,
      draftTokens: demoModel.advisedDraftTokens,
      threads: demoModel.advisedThreads,
    },
  };
  return [{ source: "flags", value, origin: new Map(DEMO_SETTINGS.map((path) => [path, "--demo"])) }];
}
