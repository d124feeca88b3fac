import assert from "node:assert/strict";
import type { Engine } from "../engine.ts";
import { always, read, type ConformanceCheck } from "./check.ts";

/** How long the JavaScript thread is held up. */
const BLOCKED_MS = 500;

export const streamChecks: readonly ConformanceCheck[] = [
  {
    name: "says of itself what agrees with itself",
    reasonToSkip: always,
    run(engine) {
      const { info } = engine;
      const { capabilities } = info;
      assert.ok(info.engine.length > 0 && info.model.name.length > 0);
      assert.ok(info.slots >= 1);
      assert.ok(info.contextSize === null || info.contextSize >= 2);
      if (info.vocabularySize !== null) {
        for (const id of [...(info.eosTokenIds ?? []), info.bosTokenId ?? 0])
          assert.ok(id < info.vocabularySize);
      }
      assert.ok(info.speculation === null || info.speculation.draftBudget >= 1);
      assert.ok(!capabilities.chat || engine.chat !== undefined, "chat is there where the capability is");
      assert.ok(capabilities.tokenIds !== "streamed" || capabilities.tokenPrompts);
      return Promise.resolve();
    },
  },
  {
    name: "streams a text prompt and says when each piece was produced",
    reasonToSkip: always,
    async run(engine, { prompt }) {
      const before = process.hrtime.bigint();
      const { batches, text, finish } = await read(engine, { prompt, maxTokens: 8, ignoreEos: true });
      const after = process.hrtime.bigint();
      assert.ok(text.length > 0);
      const times = [
        before,
        finish.queuedAtNs,
        ...(finish.startedAtNs === null ? [] : [finish.startedAtNs]),
        ...batches.map((batch) => batch.producedAtNs),
        after,
      ];
      for (const [index, time] of times.entries()) {
        assert.ok(time >= (times[index - 1] ?? 0n), `time ${index} of ${times.join(", ")} runs backwards`);
      }
      const first = batches.find((batch) => batch.text !== "" || (batch.tokenIds?.length ?? 0) > 0);
      assert.equal(finish.firstTokenAtNs, first?.producedAtNs);
      assert.ok(finish.endedAtNs >= (finish.firstTokenAtNs ?? 0n) && finish.endedAtNs <= after);
    },
  },
  {
    name: "takes its time stamps where the tokens are made, not where they are read",
    reasonToSkip: always,
    async run(engine, { longPrompt, longTokens }) {
      const during = await producedWhileBlocked(engine, longPrompt, longTokens);
      assert.ok(during >= 2, `${during} pieces were stamped while the JavaScript thread was blocked`);
    },
  },
  {
    name: "runs more requests than it has slots, each to its own end",
    reasonToSkip: always,
    async run(engine, { prompt }) {
      const count = engine.info.slots * 2 + 1;
      const outputs = await Promise.all(
        Array.from({ length: count }, () => read(engine, { prompt, maxTokens: 6, ignoreEos: true })),
      );
      for (const { text, finish } of outputs) {
        assert.ok(text.length > 0);
        if (finish.reason !== null) assert.equal(finish.reason, "length");
      }
    },
  },
  {
    name: "answers chat requests with chunks of JSON",
    reasonToSkip: ({ info }) => (info.capabilities.chat ? null : "it does not answer chat requests"),
    async run(engine) {
      assert.ok(engine.chat !== undefined);
      const messages = [{ role: "user", content: "Say something." }];
      let previous = process.hrtime.bigint();
      let content = "";
      let reason: unknown = null;
      for await (const chunk of engine.chat({ messages, max_tokens: 16, temperature: 0 })) {
        assert.ok(chunk.producedAtNs >= previous);
        previous = chunk.producedAtNs;
        const choice = property(property(JSON.parse(chunk.json), "choices"), "0");
        const piece = property(property(choice, "delta"), "content");
        if (typeof piece === "string") content += piece;
        reason = property(choice, "finish_reason") ?? reason;
      }
      assert.ok(content.length > 0);
      assert.ok(reason === "stop" || reason === "length", `finish_reason ${JSON.stringify(reason)}`);
    },
  },
];

function property(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

/** Holds the thread up in the middle of a generation; the pieces whose stamps fall into that time. */
async function producedWhileBlocked(engine: Engine, prompt: string, maxTokens: number): Promise<number> {
  let from: bigint | null = null;
  let to = 0n;
  let during = 0;
  for await (const batch of engine.generate({ prompt, maxTokens, ignoreEos: true })) {
    if (batch.text === "" && (batch.tokenIds?.length ?? 0) === 0) continue;
    if (from === null) {
      from = process.hrtime.bigint();
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BLOCKED_MS);
      to = process.hrtime.bigint();
    } else if (batch.producedAtNs > from && batch.producedAtNs < to) {
      during += 1;
    } else if (batch.producedAtNs >= to) {
      break;
    }
  }
  return during;
}
