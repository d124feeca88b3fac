import { describe, expect, it } from "vitest";
import { carriesTokens, chunkMarks } from "../src/records/chunk-series.ts";
import { answer, kinds, streamed } from "./support/answer.ts";
import { delta, DONE, event, stream, usage } from "./support/scripted-server.ts";

describe("answers that are whole", () => {
  it("a role-only chunk is no token, reasoning is one, under both names", async () => {
    const { record, reasoning, content } = await answer(
      streamed(
        delta({ role: "assistant", content: "" }),
        delta({ reasoning: "a" }),
        delta({ reasoning_content: "b" }),
        delta({ reasoning: "c", reasoning_content: "c" }),
        delta({ content: "D" }),
        delta({}, "stop"),
        usage(5, 4),
        DONE,
      ),
    );
    expect(record.state).toBe("ok");
    expect([reasoning, content]).toEqual(["abc", "D"]);
    expect(kinds(record)).toEqual([
      "role",
      "reasoning",
      "reasoning",
      "reasoning",
      "content",
      "finish",
      "usage",
      "done",
    ]);
    expect(chunkMarks(record.chunks).findIndex(carriesTokens)).toBe(1);
    expect(record).toMatchObject({ outputTokens: 4, tokenSource: "usage", textBytes: 4 });
  });

  it("tool-call text is output", async () => {
    const call = { tool_calls: [{ index: 0, id: "c", function: { name: "f", arguments: "{}" } }] };
    const { record } = await answer(streamed(delta(call), delta({}, "tool_calls"), usage(1, 3), DONE));
    expect(kinds(record)[0]).toBe("tool");
    expect(record).toMatchObject({ state: "ok", textBytes: 3, finish: { reason: "tool-calls" } });
  });

  it("content and finish reason in one chunk, usage in the same one, nothing after it", async () => {
    const last = {
      choices: [{ index: 0, delta: { content: "all" }, finish_reason: "length" }],
      usage: { prompt_tokens: 2, completion_tokens: 3 },
    };
    const { record, content } = await answer(streamed(event(last)));
    expect(content).toBe("all");
    expect(record).toMatchObject({
      state: "ok",
      outputTokens: 3,
      finish: { raw: "length", reason: "length" },
    });
  });

  it("usage on every chunk tells the tokens of each", async () => {
    const chunk = (text: string, tokens: number): string =>
      event({
        choices: [{ index: 0, delta: { content: text } }],
        usage: { prompt_tokens: 2, completion_tokens: tokens },
      });
    const { record } = await answer(
      streamed(chunk("a", 1), chunk("bcd", 4), chunk("e", 5), delta({}, "stop"), DONE),
    );
    expect(
      chunkMarks(record.chunks)
        .filter(carriesTokens)
        .map((mark) => mark[3]),
    ).toEqual([1, 3, 1]);
    expect(record.outputTokens).toBe(5);
  });

  it("usage that comes only at the end tells no chunk its tokens", async () => {
    const last = event({
      choices: [{ index: 0, delta: {}, finish_reason: "stop" }],
      usage: { prompt_tokens: 2, completion_tokens: 2 },
    });
    const { record } = await answer(streamed(delta({ content: "a" }), delta({ content: "b" }), last, DONE));
    expect(chunkMarks(record.chunks).map((mark) => mark[3])).toEqual([null, null, null, null]);
  });

  it("token ids count where usage is missing, and a token without text is a token", async () => {
    const chunk = (text: string, ids: number[]): string =>
      event({ choices: [{ index: 0, text, token_ids: ids }] });
    const end = event({ choices: [{ index: 0, text: "", token_ids: [], finish_reason: "length" }] });
    const { record } = await answer(streamed(chunk("", [9]), chunk("é", [1, 2]), end, DONE));
    expect(record).toMatchObject({ outputTokens: 3, tokenSource: "token-ids" });
    expect(chunkMarks(record.chunks).findIndex(carriesTokens)).toBe(0);
  });

  it("an empty finish reason is none; [DONE] alone completes an answer", async () => {
    const { record } = await answer(streamed(delta({ content: "x" }, ""), DONE));
    expect(record).toMatchObject({
      state: "ok",
      finish: { raw: null, reason: "unknown" },
      outputTokens: null,
      tokenSource: "unknown",
    });
  });

  it("heartbeats, comments and events after [DONE] are nothing", async () => {
    const after =
      event({ choices: [{ index: 0, delta: { content: "late" } }] }) + event({ error: { message: "late" } });
    const { record, content } = await answer(
      streamed(
        ": ping\n\n",
        "data:\n\n",
        "event: ping\ndata: {}\n\n",
        delta({ content: "x" }),
        delta({}, "stop"),
        DONE,
        after,
      ),
    );
    expect(content).toBe("x");
    expect(record.state).toBe("ok");
  });

  it("a character cut by the network is whole", async () => {
    const bytes = Buffer.from(delta({ content: "🌍" }));
    const at = bytes.indexOf("🌍") + 2;
    const { content } = await answer(
      streamed(bytes.subarray(0, at), bytes.subarray(at), delta({}, "stop"), DONE),
    );
    expect(content).toBe("🌍");
  });

  it("a connection that breaks or stays open after the end of the answer does not matter", async () => {
    const parts = [delta({ content: "x" }), delta({}, "stop"), usage(1, 1), DONE];
    const reset = await answer((_, response) => stream(response, parts, { end: "reset" }));
    expect(reset.record).toMatchObject({ state: "ok", outputTokens: 1 });
    const stall = await answer((_, response) => stream(response, parts, { end: "stall" }));
    expect(stall.record).toMatchObject({ state: "ok", outputTokens: 1 });
    expect(stall.record.endNs).toBe(chunkMarks(stall.record.chunks).at(-1)?.[0]);
  });

  it("the body is streamed text asked for uncompressed, with the model and the limit", async () => {
    const { requests } = await answer(streamed(delta({ content: "x" }, "stop"), DONE));
    expect(requests[0]?.headers["accept-encoding"]).toBe("identity");
    expect(JSON.parse(requests[0]?.body ?? "")).toMatchObject({
      model: "demo-model",
      max_tokens: 8,
      stream: true,
    });
  });

  it("stamps run forward: due, sent, headers, chunks, end", async () => {
    const { record } = await answer(streamed(delta({ content: "x" }), delta({ content: "y" }, "stop"), DONE));
    const times = [
      record.scheduledNs,
      record.sentNs,
      record.headersNs,
      ...chunkMarks(record.chunks).map(([at]) => at),
      record.endNs,
    ];
    expect(times).toEqual([...times].sort((a, b) => Number(a) - Number(b)));
    expect(times.every((at) => Number.isSafeInteger(at))).toBe(true);
    expect(record.connection).toBe("new");
  });
});
