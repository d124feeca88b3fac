import type { Engine, EngineInfo } from "@onpar/engine-binding";

/** A real engine that describes itself otherwise: as one with another template, or without speculation. */
export function withInfo(engine: Engine, changes: Partial<EngineInfo>): Engine {
  return {
    info: { ...engine.info, ...changes },
    tokenize: (text, options) => engine.tokenize(text, options),
    detokenize: (tokenIds, options) => engine.detokenize(tokenIds, options),
    generate: (request, signal) => engine.generate(request, signal),
    counters: () => engine.counters(),
    resetPrefixCache: () => engine.resetPrefixCache(),
    dispose: () => engine.dispose(),
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}
