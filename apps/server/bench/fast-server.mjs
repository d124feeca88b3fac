// onpar-server on an engine that has every token at once: what is left is the writing of events.
import { createApp } from "../dist/index.js";
import { scriptedInfo } from "../test/support/scripted-info.mjs";

const info = { ...scriptedInfo, contextSize: 1_000_000, slots: 32, chatTemplate: null };
/** Batches between which other requests have their turn. */
const BATCHES_PER_TURN = 16;

const engine = {
  info,
  tokenize: (text) => Array.from(text, (character) => character.codePointAt(0)),
  detokenize: (ids) => String.fromCodePoint(...ids),
  async *generate({ prompt, maxTokens }) {
    const queuedAtNs = process.hrtime.bigint();
    const firstTokenAtNs = queuedAtNs;
    for (let token = 1; token < maxTokens; token++) {
      if (token % BATCHES_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
      yield { tokenIds: [token], text: " river", producedAtNs: process.hrtime.bigint() };
    }
    const endedAtNs = process.hrtime.bigint();
    yield {
      tokenIds: [0],
      text: " end",
      producedAtNs: endedAtNs,
      finish: {
        reason: "length",
        matched: null,
        promptTokens: prompt.length,
        cachedPromptTokens: 0,
        outputTokens: maxTokens,
        firstEosIndex: null,
        speculation: null,
        queuedAtNs,
        startedAtNs: queuedAtNs,
        firstTokenAtNs,
        endedAtNs,
      },
    };
  },
  counters: () => ({
    promptTokens: 0,
    outputTokens: 0,
    prefixCacheQueries: 0,
    prefixCacheHits: 0,
    requestsRunning: 0,
    requestsWaiting: 0,
    requestsFinished: { eos: 0, "stop-string": 0, "stop-token": 0, length: 0, abort: 0, unknown: 0 },
    speculation: null,
  }),
  resetPrefixCache: async () => {},
  dispose: async () => {},
};

const app = createApp({ engine });
console.log(await app.listen({ host: "127.0.0.1", port: 0 }));
process.on("SIGTERM", () => void app.close());
