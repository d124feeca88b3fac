import * as fc from "fast-check";
import { expect, it } from "vitest";
import { dropped } from "../src/load/dropped.ts";
import { makeRecord, Recorder } from "../src/load/recorder.ts";
import type { ErrorKind, FinishKind } from "../src/record.ts";
import type { Outcome } from "../src/targets/target.ts";
import {
  BlockBuilder,
  unpackBlock,
  type EndedRequest,
  type RecordBlock,
} from "../src/workers/record-block.ts";

/** Twice with one builder: nothing of a block may be left in the next one. */
function packBlock(ended: readonly EndedRequest[]): RecordBlock {
  const builder = new BlockBuilder(ended.length);
  for (const one of ended) builder.add(one);
  builder.take();
  for (const one of [...ended].reverse()) builder.add(one);
  builder.take();
  for (const one of ended) builder.add(one);
  return builder.take();
}

const ns = fc.nat(2 ** 40);
const nullable = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(of, { nil: null });
const outcome: fc.Arbitrary<Outcome> = fc.record({
  endNs: ns,
  status: nullable(fc.constantFrom(200, 429, 503)),
  connection: fc.constantFrom("new" as const, "reused" as const, null),
  connectNs: nullable(ns),
  attempts: fc.nat(3),
  retryAfterS: nullable(fc.nat(100)),
  finish: fc.record({
    raw: nullable(fc.constantFrom("stop", "length", "")),
    reason: fc.constantFrom<FinishKind>("eos", "length", "unknown"),
  }),
  usage: nullable(
    fc.record({
      promptTokens: nullable(fc.nat()),
      completionTokens: nullable(fc.nat()),
      cachedPromptTokens: nullable(fc.nat()),
      reasoningTokens: nullable(fc.nat()),
    }),
  ),
  tokenIdCount: nullable(fc.nat()),
  acceptance: nullable(
    fc.constantFrom({ verifySteps: 3, draftTokens: 9, acceptedTokens: 4, acceptedPerPosition: [2, 1, 1] }),
  ),
  firstEosIndex: fc.constant(null),
  error: nullable(
    fc.record({ kind: fc.constantFrom<ErrorKind>("http", "timeout"), message: fc.constantFrom("a", "b") }),
  ),
  aborted: fc.boolean(),
  dropped: fc.constant(false),
});
const chunk = fc.record({
  kind: fc.constantFrom("content" as const, "reasoning" as const, "tool" as const, "done" as const),
  text: fc.string({ unit: "grapheme", maxLength: 6 }),
  tokens: nullable(fc.nat(5)),
});
const ended: fc.Arbitrary<EndedRequest> = fc
  .record({
    index: fc.nat(1e6),
    scheduledNs: ns,
    sentNs: nullable(ns),
    headersNs: nullable(ns),
    outcome,
    chunks: fc.array(chunk),
  })
  .map(({ index, scheduledNs, sentNs, headersNs, outcome: end, chunks }) => {
    const recorder = new Recorder();
    if (sentNs !== null) recorder.sent(sentNs);
    if (headersNs !== null) recorder.headers(headersNs);
    for (const [at, { kind, text, tokens }] of chunks.entries())
      recorder.trace.add(at, kind, kind === "done" ? {} : { [kind]: text }, tokens);
    return { index, scheduledNs, exchanged: recorder.finish(end) };
  });

const request = { promptId: "p", sha256: "0".repeat(64), promptTokens: null };
const recordsOf = (all: Iterable<EndedRequest>) =>
  [...all].map(({ index, scheduledNs, exchanged }) =>
    makeRecord({ id: `measure-${index}`, phase: "measure", scheduledNs }, request, exchanged, true),
  );

it("requests that were handed over make the records that they would have made where they were sent", () => {
  fc.assert(
    fc.property(fc.array(ended, { maxLength: 8 }), (all) => {
      expect(recordsOf(unpackBlock(structuredClone(packBlock(all))))).toEqual(recordsOf(all));
    }),
  );
});

it("a request that was never sent is dropped, and has nothing but the time at which it was given up", () => {
  const [record] = recordsOf(unpackBlock(packBlock([{ index: 3, scheduledNs: 5, exchanged: dropped(9) }])));
  expect(record).toMatchObject({
    state: "dropped",
    scheduledNs: 5,
    endNs: 9,
    sentNs: null,
    attempts: 0,
    connection: null,
    error: null,
    textSha256: null,
  });
});
