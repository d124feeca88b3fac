import { demoModel } from "@onpar/demo-model";
import { loadLlamaEngine, type Engine } from "@onpar/engine-binding";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll } from "vitest";

import { createApp, type AppOptions } from "../../src/index.ts";

export const modelName = demoModel.name;

/** Tokens per slot: small, so that the tests that fill it are quick. */
export const contextSize = 512;

export interface ServedPair {
  readonly app: FastifyInstance;
  readonly engine: Engine;
}

/** Serves the bundled pair for the tests of one file, without listening. */
export function servedPair(options: Partial<AppOptions> & { readonly slots?: number } = {}): ServedPair {
  const { slots = 2, ...appOptions } = options;
  let engine: Engine | undefined;
  let app: FastifyInstance | undefined;
  beforeAll(async () => {
    engine = await loadLlamaEngine({
      modelPath: demoModel.target.path,
      draftModelPath: demoModel.draft.path,
      draftTokens: 5,
      slots,
      threads: 1,
      contextSize,
    });
    app = createApp({ engine, servedModelName: modelName, ...appOptions });
    // A busy machine may take long to load a model.
  }, 60_000);
  afterAll(async () => {
    await app?.close();
    await engine?.dispose();
  });
  return {
    get app() {
      if (app === undefined) throw new Error("the app is made in beforeAll");
      return app;
    },
    get engine() {
      if (engine === undefined) throw new Error("the engine is loaded in beforeAll");
      return engine;
    },
  };
}
