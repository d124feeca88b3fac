import assert from "node:assert/strict";
import type { Engine, EngineCounters, SpeculationCounters } from "../engine.ts";
import { always, read, type ConformanceCheck } from "./check.ts";

export const counterChecks: readonly ConformanceCheck[] = [
  {
    name: "counts a request once, by how it ended",
    reasonToSkip: always,
    async run(engine, { prompt }) {
      const before = await settled(engine);
      const { finish } = await read(engine, { prompt, maxTokens: 7, ignoreEos: true });
      const after = engine.counters();
      const reason = finish.reason ?? "unknown";
      assert.equal(after.requestsFinished[reason], before.requestsFinished[reason] + 1);
      assert.equal(total(after), total(before) + 1);
      const grew = (pick: (counters: EngineCounters) => number | null): number | null => {
        const [now, then] = [pick(after), pick(before)];
        return now === null || then === null ? null : now - then;
      };
      const outputTokens = grew((counters) => counters.outputTokens);
      const promptTokens = grew((counters) => counters.promptTokens);
      // an engine that tells the counts of some requests has no sum of all
      if (engine.info.capabilities.tokenCounts || outputTokens !== null) {
        assert.equal(outputTokens, finish.outputTokens);
        assert.equal(promptTokens, finish.promptTokens);
      }
      for (const now of [after.requestsRunning, after.requestsWaiting]) assert.ok(now === null || now === 0);
    },
  },
  {
    name: "counts draft tokens so that the sums agree",
    reasonToSkip: ({ info }) => {
      if (info.speculation === null) return "it does not speculate";
      return info.capabilities.speculationCounters ? null : "it does not count what it drafts";
    },
    async run(engine, { prompt }) {
      const budget = engine.info.speculation?.draftBudget ?? 0;
      const before = engine.counters().speculation;
      const { finish } = await read(engine, { prompt, maxTokens: 24, ignoreEos: true });
      const after = engine.counters().speculation;
      assert.ok(before !== null && after !== null);
      consistent(after, budget);
      assert.ok(after.verifySteps >= before.verifySteps && after.draftTokens >= before.draftTokens);
      if (engine.info.capabilities.requestSpeculation && finish.speculation !== null) {
        consistent(finish.speculation, budget);
        assert.equal(after.acceptedTokens - before.acceptedTokens, finish.speculation.acceptedTokens);
      }
    },
  },
  {
    name: "reuses a prefix, and not after it was told to forget",
    reasonToSkip: ({ info }) =>
      info.capabilities.prefixCacheReset ? null : "its prefix cache cannot be reset",
    async run(engine, { prompt }) {
      const request = { prompt: `${prompt} ${prompt} ${prompt}`, maxTokens: 2, ignoreEos: true };
      await read(engine, request);
      const again = await read(engine, request);
      assert.ok((again.finish.cachedPromptTokens ?? 1) > 0);
      await engine.resetPrefixCache();
      const anew = await read(engine, request);
      assert.ok((anew.finish.cachedPromptTokens ?? 0) === 0);
    },
  },
];

/** Counters when nothing that was left before still changes them. */
async function settled(engine: Engine): Promise<EngineCounters> {
  for (let before = total(engine.counters()); ;) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const counters = engine.counters();
    const now = total(counters);
    if (now === before) return counters;
    before = now;
  }
}

function total(counters: EngineCounters): number {
  return Object.values(counters.requestsFinished).reduce((sum, count) => sum + count, 0);
}

function consistent(counts: SpeculationCounters, budget: number): void {
  const { verifySteps, draftTokens, acceptedTokens, acceptedPerPosition } = counts;
  assert.ok(acceptedTokens <= draftTokens);
  assert.ok(verifySteps <= draftTokens && draftTokens <= verifySteps * budget);
  if (acceptedPerPosition === null) return;
  assert.equal(acceptedPerPosition.length, budget);
  assert.equal(
    acceptedPerPosition.reduce((sum, count) => sum + count, 0),
    acceptedTokens,
  );
  assert.ok((acceptedPerPosition[0] ?? 0) <= verifySteps);
}
