import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadLlamaEngine, type Engine } from "../../src/index.ts";
import { chat, generate, QUESTIONS, TARGET } from "./pair.ts";

const EOS = 2;
const STORY = QUESTIONS[4];
let engine: Engine;

beforeAll(async () => {
  engine = await loadLlamaEngine({ modelPath: TARGET, contextSize: 1024, slots: 2 });
});
afterAll(() => engine.dispose());

describe("what the engine says of the model", () => {
  it("reads the GGUF metadata", () => {
    expect(engine.info).toMatchObject({
      engine: "llama.cpp",
      engineVersion: expect.stringMatching(/\d/),
      model: { path: TARGET, parameterCount: 10_869_248, quantisation: "Q8_0", sizeBytes: 11_699_520 },
      contextSize: 1024,
      slots: 2,
      threads: 1,
      vocabularySize: 4096,
      addsBos: false,
      chatTemplate: expect.stringContaining("enable_thinking"),
      specialTokens: { eos_token: "<|im_end|>" },
      speculation: null,
    });
    expect(engine.info.eosTokenIds).toContain(EOS);
    expect(engine.counters().speculation).toBeNull();
  });

  it("reads special tokens as tokens or as text, and shows them only when asked", () => {
    const parsed = engine.tokenize("a<|im_end|>");
    expect(parsed).toContain(EOS);
    expect(engine.detokenize(parsed)).toBe("a");
    expect(engine.detokenize(parsed, { renderSpecial: true })).toBe("a<|im_end|>");
    const plain = engine.tokenize("a<|im_end|>", { parseSpecial: false });
    expect(plain).not.toContain(EOS);
    expect(engine.detokenize(plain)).toBe("a<|im_end|>");
    expect(engine.tokenize("a", { addSpecial: true })).toEqual(engine.tokenize("a"));
    expect(() => engine.detokenize([4096])).toThrow(
      expect.objectContaining({ code: "ENGINE_INVALID_REQUEST" }),
    );
  });
});

describe("greedy output", () => {
  it("is the same every time, with and without a cached prefix, and its text is that of its tokens", async () => {
    const first = await generate(engine, STORY, { maxTokens: 60, cachePrompt: false });
    const again = await generate(engine, STORY, { maxTokens: 60 });
    expect(again.ids).toEqual(first.ids);
    expect(first.text).toBe(engine.detokenize(first.ids));
    expect(first.batches.map(({ tokenIds }) => tokenIds?.length)).toEqual(first.ids.map(() => 1));
  });

  it("holds characters of several tokens back until they are whole", async () => {
    // the model copies the text by its bytes, where it has no token for a character
    const text = "🦙🦙🦙🦙🦙🦙";
    const output = await generate(engine, `Repeat this text exactly: ${text}`, {
      maxTokens: 60,
      ignoreEos: true,
    });
    expect(output.text).toBe(engine.detokenize(output.ids));
    expect(output.batches.slice(0, -1).some((batch) => batch.text === "")).toBe(true);
  });

  it("stamps tokens in order on one clock", async () => {
    const before = process.hrtime.bigint();
    const { batches, finish } = await generate(engine, QUESTIONS[3], { maxTokens: 10, ignoreEos: true });
    const times = [
      before,
      finish.queuedAtNs,
      finish.startedAtNs ?? 0n,
      ...batches.map((batch) => batch.producedAtNs),
      process.hrtime.bigint(),
    ];
    expect(times).toEqual([...times].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
    expect(finish.firstTokenAtNs).toBe(batches[0]?.producedAtNs);
    expect(finish.endedAtNs).toBe(batches.at(-1)?.producedAtNs);
  });
});

describe("the end of an output", () => {
  it("is EOS by default, which counts as a token and has no text", async () => {
    const { ids, finish, text } = await generate(engine, QUESTIONS[6], { maxTokens: 200 });
    expect(ids.at(-1)).toBe(EOS);
    expect(finish).toMatchObject({
      reason: "eos",
      matched: EOS,
      outputTokens: ids.length,
      firstEosIndex: ids.length - 1,
    });
    expect(ids.length).toBeLessThan(200);
    expect(text).not.toContain("<|im_end|>");
  });

  it("is exactly the cap when EOS is ignored, and EOS stays in the sequence", async () => {
    const honoured = await generate(engine, QUESTIONS[6], { maxTokens: 120 });
    const ignored = await generate(engine, QUESTIONS[6], { maxTokens: 120, ignoreEos: true });
    expect(honoured.finish.reason).toBe("eos");
    expect(ignored.ids.length).toBe(120);
    expect(ignored.ids.slice(0, honoured.ids.length)).toEqual(honoured.ids);
    expect(ignored.finish).toMatchObject({
      reason: "length",
      matched: null,
      outputTokens: 120,
      firstEosIndex: honoured.finish.firstEosIndex,
    });
  });

  it("is a stop string, also across token borders", async () => {
    const full = await generate(engine, STORY, { maxTokens: 60 });
    const pieces = full.ids.map((id) => engine.detokenize([id]));
    // the end of one token and the beginning of the next
    const border = pieces.findIndex(
      (piece, i) => i > 5 && piece.length > 2 && (pieces[i + 1]?.length ?? 0) > 2,
    );
    const stop = `${pieces[border]?.slice(-2)}${pieces[border + 1]?.slice(0, 2)}`;
    const stopped = await generate(engine, STORY, { maxTokens: 60, stop: ["never there", stop] });
    expect(stopped.finish).toMatchObject({ reason: "stop-string", matched: stop });
    expect(stopped.text).toBe(full.text.slice(0, full.text.indexOf(stop)));
    expect(stopped.ids).toEqual(full.ids.slice(0, stopped.ids.length));
  });

  it("is a stop token, whose own text is not shown", async () => {
    const full = await generate(engine, STORY, { maxTokens: 30 });
    const token = full.ids[20] ?? -1;
    const index = full.ids.indexOf(token);
    const stopped = await generate(engine, STORY, { maxTokens: 30, stopTokenIds: [token] });
    expect(stopped.finish).toMatchObject({ reason: "stop-token", matched: token, outputTokens: index + 1 });
    expect(stopped.text).toBe(engine.detokenize(full.ids.slice(0, index)));
  });

  it("does not come before minTokens: EOS is not produced until then", async () => {
    const short = await generate(engine, QUESTIONS[6], { maxTokens: 200 });
    const minTokens = short.ids.length + 20;
    const long = await generate(engine, QUESTIONS[6], { maxTokens: 200, minTokens });
    expect(long.ids.length).toBeGreaterThan(minTokens);
    expect(long.ids.slice(0, minTokens)).not.toContain(EOS);
    expect(long.ids.slice(0, short.ids.length - 1)).toEqual(short.ids.slice(0, -1));
  });
});

describe("abort", () => {
  it("ends the stream with reason abort and frees the slot", async () => {
    const controller = new AbortController();
    const prompt = engine.tokenize(chat(STORY));
    const reasons: unknown[] = [];
    let tokens = 0;
    const request = { prompt, maxTokens: 900, ignoreEos: true };
    for await (const batch of engine.generate(request, controller.signal)) {
      tokens += batch.tokenIds?.length ?? 0;
      if (tokens === 5) controller.abort();
      if (batch.finish !== undefined) reasons.push(batch.finish.reason, batch.finish.outputTokens);
    }
    // the step that was under way may still give its token
    expect(reasons).toEqual(["abort", tokens]);
    expect(tokens).toBeLessThanOrEqual(7);
    const after = await generate(engine, STORY, { maxTokens: 20 });
    const fresh = await generate(engine, STORY, { maxTokens: 20, cachePrompt: false });
    expect(after.ids).toEqual(fresh.ids);
    expect(engine.counters().requestsRunning).toBe(0);
  });

  it("ends a request that waits, and one whose signal was aborted before", async () => {
    const busy = [0, 1].map(() => generate(engine, STORY, { maxTokens: 30, ignoreEos: true }));
    const controller = new AbortController();
    const waiting = generate(engine, STORY, { maxTokens: 30 }, controller.signal);
    while (engine.counters().requestsRunning !== 2) await new Promise((resolve) => setImmediate(resolve));
    expect(engine.counters().requestsWaiting).toBe(1);
    controller.abort();
    expect((await waiting).finish).toMatchObject({ reason: "abort", outputTokens: 0, firstTokenAtNs: null });
    const late = await generate(engine, STORY, { maxTokens: 30 }, AbortSignal.abort());
    expect(late.finish.reason).toBe("abort");
    await Promise.all(busy);
  });

  it("happens when the reader stops reading", async () => {
    const before = engine.counters().requestsFinished.abort;
    const prompt = engine.tokenize(chat(STORY));
    for await (const batch of engine.generate({ prompt, maxTokens: 900, ignoreEos: true })) {
      if (batch.tokenIds !== null) break;
    }
    while (engine.counters().requestsRunning !== 0) await new Promise((resolve) => setImmediate(resolve));
    expect(engine.counters().requestsWaiting).toBe(0);
    expect(engine.counters().requestsFinished.abort).toBe(before + 1);
  });
});

describe("sampling", () => {
  const sampling = { temperature: 1, topP: 0.95, topK: 50, minP: 0.02 };

  it("gives the same output for the same seed and another for another", async () => {
    const draw = (seed: number) =>
      generate(engine, STORY, { maxTokens: 40, ignoreEos: true, sampling: { ...sampling, seed } });
    const [a, again, b] = [await draw(1), await draw(1), await draw(2)];
    expect(again.ids).toEqual(a.ids);
    expect(b.ids).not.toEqual(a.ids);
  });

  it("draws anew when no seed is given", async () => {
    const draw = () =>
      generate(engine, STORY, { maxTokens: 40, ignoreEos: true, sampling: { temperature: 1.5 } });
    expect((await draw()).ids).not.toEqual((await draw()).ids);
  });

  it("is greedy with top-k 1, and draws from the model's own distribution", async () => {
    const greedy = await generate(engine, STORY, { maxTokens: 20, ignoreEos: true });
    const only = await generate(engine, STORY, {
      maxTokens: 20,
      ignoreEos: true,
      sampling: { temperature: 1, topK: 1, seed: 3 },
    });
    expect(only.ids).toEqual(greedy.ids);
    // the first token over many seeds: the likeliest comes often, but not always
    const firsts = new Map<number, number>();
    for (let seed = 0; seed < 60; seed++) {
      const [token = -1] = (
        await generate(engine, STORY, { maxTokens: 1, sampling: { temperature: 1, seed } })
      ).ids;
      firsts.set(token, (firsts.get(token) ?? 0) + 1);
    }
    const likeliest = firsts.get(greedy.ids[0] ?? -1) ?? 0;
    expect(likeliest).toBe(Math.max(...firsts.values()));
    expect(firsts.size).toBeGreaterThan(1);
  });

  it("punishes repetition", async () => {
    const loop = engine.tokenize("one two one two one two one two one two");
    const plain = await generate(engine, loop, { maxTokens: 30, ignoreEos: true });
    const punished = await generate(engine, loop, {
      maxTokens: 30,
      ignoreEos: true,
      sampling: { presencePenalty: 2, frequencyPenalty: 2 },
    });
    expect(new Set(punished.ids).size).toBeGreaterThan(new Set(plain.ids).size);
  });
});

describe("refusals", () => {
  it("come with the first batch asked for", async () => {
    const long = Array.from({ length: 1024 }, () => 5);
    await expect(generate(engine, long, { maxTokens: 1 })).rejects.toMatchObject({
      code: "ENGINE_PROMPT_TOO_LONG",
    });
    await expect(generate(engine, [], { maxTokens: 1 })).rejects.toMatchObject({
      code: "ENGINE_INVALID_REQUEST",
    });
    expect(engine.counters()).toMatchObject({ requestsRunning: 0, requestsWaiting: 0 });
  });

  it("do not hit a request that fills the context to the last token", async () => {
    const prompt = engine.tokenize(chat(STORY));
    const { finish } = await generate(engine, prompt, { maxTokens: 1024 - prompt.length, ignoreEos: true });
    expect(finish).toMatchObject({ promptTokens: prompt.length, outputTokens: 1024 - prompt.length });
  });
});
