import assert from "node:assert/strict";
import { always, read, type ConformanceCheck } from "./check.ts";

export const lifeChecks: readonly ConformanceCheck[] = [
  {
    name: "is disposed once and for all, and ends what is in flight",
    reasonToSkip: always,
    async run(_engine, { load, prompt, longPrompt, longTokens }) {
      const engine = await load();
      const running = read(engine, { prompt: longPrompt, maxTokens: longTokens, ignoreEos: true });
      const waiting = Array.from({ length: engine.info.slots + 1 }, () =>
        read(engine, { prompt, maxTokens: longTokens, ignoreEos: true }),
      );
      await new Promise((resolve) => setImmediate(resolve));
      const [first] = await Promise.all([engine.dispose(), engine.dispose(), engine[Symbol.asyncDispose]()]);
      assert.equal(first, undefined);
      const outputs = await Promise.all([running, ...waiting]);
      for (const { finish } of outputs) assert.ok(finish.reason === "abort" || finish.reason === "length");
      await assert.rejects(() => read(engine, { prompt, maxTokens: 1 }), { code: "ENGINE_DISPOSED" });
      await engine.dispose();
    },
  },
];
