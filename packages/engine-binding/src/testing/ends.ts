import assert from "node:assert/strict";
import type { Engine } from "../engine.ts";
import { always, read, type ConformanceCheck } from "./check.ts";

export const endChecks: readonly ConformanceCheck[] = [
  {
    name: "ends before a stop string, which may span tokens, and shows none of it",
    reasonToSkip: always,
    async run(engine, { prompt }) {
      const whole = await read(engine, { prompt, maxTokens: 16, ignoreEos: true });
      const characters = Array.from(whole.text);
      assert.ok(
        characters.length >= 12,
        `the answer is too short to be stopped: ${JSON.stringify(whole.text)}`,
      );
      const middle = Math.floor(characters.length / 2);
      const stop = characters.slice(middle - 3, middle + 4).join("");
      const expected = whole.text.slice(0, whole.text.indexOf(stop));
      const { text, finish } = await read(engine, {
        prompt,
        maxTokens: 16,
        ignoreEos: true,
        stop: [stop, "\u0007never"],
      });
      assert.equal(text, expected);
      if (engine.info.capabilities.finishReason) {
        assert.equal(finish.reason, "stop-string");
        assert.equal(finish.matched, stop);
      }
    },
  },
  {
    name: "ends at the cap under ignoreEos",
    reasonToSkip: ({ info }) =>
      info.capabilities.tokenCounts || info.capabilities.tokenPrompts ? null : "it counts no tokens",
    async run(engine, { prompt }) {
      const request = { prompt: countable(engine, prompt), maxTokens: 40, ignoreEos: true };
      const { finish } = await read(engine, request);
      assert.equal(finish.outputTokens, 40);
      assert.equal(finish.reason, "length");
      if (engine.info.capabilities.ignoredEos === "suppressed") assert.equal(finish.firstEosIndex, null);
    },
  },
  {
    name: "does not end before minTokens",
    reasonToSkip: ({ info }) =>
      !info.capabilities.minTokens
        ? "it has no minTokens"
        : info.capabilities.tokenCounts || info.capabilities.tokenPrompts
          ? null
          : "it counts no tokens",
    async run(engine, { prompt }) {
      const request = { prompt: countable(engine, prompt), maxTokens: 30, minTokens: 30 };
      const { finish } = await read(engine, request);
      assert.equal(finish.outputTokens, 30);
    },
  },
  {
    name: "ends at a stop token",
    reasonToSkip: ({ info }) =>
      info.capabilities.stopTokenIds && info.capabilities.tokenIds !== null ? null : "it has no stop tokens",
    async run(engine, { prompt }) {
      const whole = await read(engine, { prompt, maxTokens: 12, ignoreEos: true });
      const stopToken = whole.ids?.[4] ?? 0;
      const expected = whole.ids?.slice(0, (whole.ids?.indexOf(stopToken) ?? 0) + 1);
      const stopped = await read(engine, {
        prompt,
        maxTokens: 12,
        ignoreEos: true,
        stopTokenIds: [stopToken],
      });
      assert.deepEqual(stopped.ids, expected);
      assert.equal(stopped.finish.reason, "stop-token");
      assert.equal(stopped.finish.matched, stopToken);
    },
  },
  {
    name: "ends with abort when the signal aborts before it begins",
    reasonToSkip: always,
    async run(engine, { prompt }) {
      const { finish, text } = await read(engine, { prompt, maxTokens: 20 }, AbortSignal.abort());
      assert.equal(finish.reason, "abort");
      assert.equal(text, "");
    },
  },
  {
    name: "ends with abort when the signal aborts in the middle, and goes on with others",
    reasonToSkip: always,
    async run(engine, { prompt, longPrompt, longTokens }) {
      const controller = new AbortController();
      let finish = null;
      const request = { prompt: longPrompt, maxTokens: longTokens, ignoreEos: true };
      for await (const batch of engine.generate(request, controller.signal)) {
        controller.abort();
        finish = batch.finish ?? null;
      }
      assert.equal(finish?.reason, "abort");
      assert.ok((await read(engine, { prompt, maxTokens: 4, ignoreEos: true })).text.length > 0);
    },
  },
  {
    name: "frees what a reader leaves before the end",
    reasonToSkip: always,
    async run(engine, { prompt, longPrompt, longTokens }) {
      for (let i = 0; i < engine.info.slots + 1; i++) {
        for await (const batch of engine.generate({
          prompt: longPrompt,
          maxTokens: longTokens,
          ignoreEos: true,
        })) {
          if (batch.text !== "") break;
        }
      }
      assert.ok((await read(engine, { prompt, maxTokens: 4, ignoreEos: true })).text.length > 0);
    },
  },
];

/** The prompt in the form whose tokens the engine counts. */
function countable({ info }: Engine, prompt: string): string | readonly number[] {
  return info.capabilities.tokenCounts ? prompt : [11, 23, 37, 41];
}
