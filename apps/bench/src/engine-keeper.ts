import type { BenchConfig } from "@onpar/bench-config";
import type { Engine } from "@onpar/engine-binding";

import { loadEngine, type EngineContext } from "./target.ts";

/** Keeps the in-process engine of a sweep, and loads another one where a point or a boot needs it. */
export interface EngineKeeper {
  /** Null for a server. */
  ensure(config: BenchConfig, boot: number): Promise<Engine | null>;
  dispose(): Promise<void>;
}

export function createEngineKeeper(context: EngineContext): EngineKeeper {
  let engine: Engine | null = null;
  let key = "";
  const dispose = async (): Promise<void> => {
    const old = engine;
    engine = null;
    await old?.dispose();
  };
  return {
    async ensure(config, boot) {
      const { modelPath } = config.engine;
      if (config.target.endpoint !== "engine" || modelPath === null) return null;
      const wanted = JSON.stringify([boot, config.engine]);
      if (engine !== null && key === wanted) return engine;
      await dispose();
      context.progress.announce(`loading ${modelPath}`);
      engine = await loadEngine(config, modelPath, context);
      key = wanted;
      return engine;
    },
    dispose,
  };
}
