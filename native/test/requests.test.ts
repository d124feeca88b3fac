import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addonMissing, openTestLibrary, testModel, TestSession } from "./support.ts";

describe.skipIf(addonMissing !== null)(`requests over the addon${addonMissing ?? ""}`, () => {
  const model = testModel("step_us=200", "accept=2,0,3");
  let session: TestSession;
  beforeAll(async () => {
    session = await TestSession.loaded(openTestLibrary("abi30"), {
      model_path: model.path,
      max_num_seqs: 4,
      speculative_config: '{"num_speculative_tokens":3}',
    });
  });
  afterAll(async () => {
    await session.close();
    model.remove();
  });

  it("arrive whole, each delta with its request, though many run at once", async () => {
    const prompts = Array.from({ length: 24 }, (_, index) => `prompt ${index} @{tokens=60}`);
    const alone = [];
    for (const prompt of prompts.slice(0, 3))
      alone.push(await session.ask((id) => session.engine.submit(id, prompt, {})));
    const together = await Promise.all(
      prompts.map((prompt) => session.ask((id) => session.engine.submit(id, prompt, {}))),
    );
    expect(together.slice(0, 3).map(({ text }) => text)).toEqual(alone.map(({ text }) => text));
    expect(new Set(together.map(({ text }) => text)).size).toBe(prompts.length);
    for (const { pieces, ending } of together) {
      expect(ending).toMatchObject({ status: 0, cancelled: false, error: null });
      const times = [...pieces.map(({ atNs }) => atNs), ending.atNs];
      expect(times).toEqual([...times].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
    }
  });

  it("keep characters of every length, and show what is none as U+FFFD", async () => {
    const { text } = await session.ask((id) => session.engine.submit(id, "@{tokens=400 us=0} text", {}));
    for (const word of ["naïve", "漢字", "🙂"]) expect(text).toContain(word);
    expect(text).not.toContain("\uFFFD");
    const bad = await session.ask((id) => session.engine.submit(id, "@{tokens=3 bad=1 us=0} text", {}));
    const decoded = new TextDecoder().decode(
      new Uint8Array([0x61, 0xc3, 0x28, 0xf0, 0x9f, 0x99, 0x7a, 0xff, 0x20]),
    );
    expect(bad.pieces.map(({ text }) => text)).toEqual(bad.pieces.map(() => decoded));
  });

  it("fail with the library's own words, copied on the thread that failed", async () => {
    const refused = await session.ask((id) => session.engine.submit(id, "@{refuse=1} x", {}));
    expect(refused.ending).toMatchObject({ status: 3, error: "the request is refused, as its prompt asks" });
    const failed = await session.ask((id) => session.engine.submit(id, "@{fail=4 tokens=50} x", {}));
    expect(failed.pieces).toHaveLength(4);
    expect(failed.ending).toMatchObject({
      status: 3,
      error: "the request failed, as its prompt asks",
      cancelled: false,
    });
    const wrong = await session.ask((id) =>
      session.engine.complete(id, new Int32Array([5000]), { maxTokens: 4 }),
    );
    expect(wrong.ending).toMatchObject({ status: 1, error: "a token is not in the vocabulary" });
    const chat = await session.ask((id) => session.engine.chat(id, "no JSON"));
    expect(chat.ending).toMatchObject({ status: 1, error: "the request is not a JSON object" });
  });

  it("are cancelled before, while and after they run", async () => {
    const waiting = await session.ask((id) => {
      session.engine.submit(id, "@{tokens=5000} x", {});
      session.engine.cancel(id);
    });
    expect(waiting.ending).toMatchObject({ status: 0, cancelled: true });
    const running = await session.ask((id) => {
      session.engine.submit(id, "@{tokens=5000} y", {});
      void session.until(() => session.of(id).pieces.length > 3).then(() => session.engine.cancel(id));
    });
    expect(running.ending.cancelled).toBe(true);
    const stalled = await session.ask((id) => {
      session.engine.submit(id, "@{stall=2 tokens=50} z", {});
      void session.until(() => session.of(id).pieces.length === 2).then(() => session.engine.cancel(id));
    });
    expect(stalled.ending.cancelled).toBe(true);
    const chat = await session.ask((id) => {
      session.engine.chat(id, '{"messages":"@{tokens=5000}"}');
      void session.until(() => session.of(id).pieces.length > 3).then(() => session.engine.cancel(id));
    });
    expect(chat.ending.cancelled).toBe(true);
    const over = await session.ask((id) => session.engine.submit(id, "@{tokens=3} w", {}));
    session.engine.cancel(over.ending.request);
    session.engine.cancel(4_000_000);
    expect(over.ending.cancelled).toBe(false);
  });

  it("of token ids give ids, reason and counts", async () => {
    const prompt = new Int32Array([1, 2, 3, 4]);
    const capped = await session.ask((id) =>
      session.engine.complete(id, prompt, { maxTokens: 6, ignoreEos: true }),
    );
    expect(capped.ending).toMatchObject({ finishReason: "length", promptTokens: 4, completionTokens: 6 });
    expect(capped.ending.tokens).toHaveLength(6);
    const whole = await session.ask((id) => session.engine.complete(id, prompt, { maxTokens: 400 }));
    expect(whole.ending).toMatchObject({
      finishReason: "stop",
      completionTokens: whole.ending.tokens.length,
    });
    expect([...whole.ending.tokens].at(-1)).toBe(1000);
    expect([...whole.ending.tokens].slice(0, 6)).toEqual([...capped.ending.tokens]);
    expect(whole.ending.text.split(" ")).toHaveLength(whole.ending.tokens.length);
  });

  it("of chats stream chunks of JSON and end with none", async () => {
    const { pieces, ending } = await session.ask((id) =>
      session.engine.chat(id, '{"messages":[],"max_tokens":5,"stream_options":{"include_usage":true}}'),
    );
    expect(ending).toMatchObject({ status: 0, cancelled: false });
    const chunks = pieces.map(({ text }) => JSON.parse(text) as Record<string, unknown>);
    expect(chunks.at(-1)).toMatchObject({ usage: { completion_tokens: 5 } });
    expect(chunks.at(-2)).toMatchObject({ choices: [{ finish_reason: "length" }] });
  });

  it("move the acceptance counters by exactly what their script accepts", async () => {
    const before = session.engine.acceptance();
    // one token of the prompt's step, then 2+1, 0+1, 3+1, 2+1 …: 20 tokens take eight steps after the first
    await session.ask((id) => session.engine.submit(id, "@{tokens=5000} k", { maxTokens: 20 }));
    const after = session.engine.acceptance();
    if (before === null || after === null) throw new Error("version 30 counts");
    // the last step has room for two drafts beside the target's own token
    expect({
      proposed: after.draftsProposed - before.draftsProposed,
      accepted: after.draftsAccepted - before.draftsAccepted,
      steps: after.draftedRequestSteps - before.draftedRequestSteps,
    }).toEqual({ proposed: 20, accepted: 12, steps: 7 });
  });

  it("have time stamps that a blocked JavaScript thread does not move", async () => {
    const { pieces } = await session.ask((id) => {
      session.engine.submit(id, "@{tokens=400 us=2000 stamp=1} x", {});
      void session
        .until(() => session.of(id).pieces.length > 5)
        .then(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500));
    });
    // each piece tells when it was made; 500 ms late is what a stamp taken on the JavaScript thread would be
    const late = pieces.map(({ text, atNs }) => Number(atNs - BigInt(text.trim())) / 1e6);
    expect(Math.min(...late)).toBeGreaterThanOrEqual(0);
    expect(late.filter((ms) => ms > 100)).toEqual([]);
  });
});
