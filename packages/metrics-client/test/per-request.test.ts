import { describe, expect, it } from "vitest";
import {
  acceptanceFrom,
  acceptanceFromResponse,
  checkSpecDecodeInvariants,
  sumSpecDecodeCounts,
} from "../src/index.ts";

const vllm = {
  id: "chatcmpl-1",
  choices: [],
  metrics: {
    time_to_first_token_ms: 12.5,
    speculative_decoding: {
      mean_acceptance_length: 2.5,
      draft_acceptance_rate: 0.5,
      // Four steps that accepted 2, 0, 3 and 1 tokens.
      acceptance_histogram: [1, 1, 1, 1],
      num_spec_steps: 4,
      num_accepted_draft_tokens: 6,
      num_draft_tokens: 12,
      num_spec_tokens: 3,
    },
  },
};

describe("acceptanceFromResponse", () => {
  it("reads vLLM's per-request counts and turns its histogram into positions", () => {
    const counts = acceptanceFromResponse(vllm);
    expect(counts).toEqual({
      verifySteps: 4,
      draftTokens: 12,
      acceptedTokens: 6,
      acceptedPerPosition: [3, 2, 1],
    });
    if (counts === null) return;
    expect(checkSpecDecodeInvariants(counts, 3)).toEqual([]);
    expect(acceptanceFrom(counts, "per-request")).toMatchObject({
      rate: vllm.metrics.speculative_decoding.draft_acceptance_rate,
      meanAcceptanceLength: vllm.metrics.speculative_decoding.mean_acceptance_length,
      perPositionRate: [0.75, 0.5, 0.25],
    });
  });

  it("reads llama.cpp's timings, which do not tell the verify steps", () => {
    const timings = {
      prompt_n: 12,
      predicted_n: 200,
      predicted_ms: 900.5,
      draft_n: 347,
      draft_n_accepted: 65,
    };
    expect(acceptanceFromResponse({ choices: [], timings })).toEqual({
      verifySteps: null,
      draftTokens: 347,
      acceptedTokens: 65,
      acceptedPerPosition: null,
    });
  });

  it("reads the positions of ik_llama.cpp and the rounds of mlx-vlm", () => {
    const timings = {
      draft_n: 30,
      draft_n_accepted: 15,
      draft_rounds: 10,
      draft_by_depth: [
        { depth: 2, draft_n: 10, draft_n_accepted: 5 },
        { depth: 1, draft_n: 10, draft_n_accepted: 9 },
        { depth: 3, draft_n: 10, draft_n_accepted: 1 },
      ],
    };
    expect(acceptanceFromResponse({ timings })).toMatchObject({
      verifySteps: 10,
      acceptedPerPosition: [9, 5, 1],
    });
  });

  it.each([
    ["no object", null],
    ["a text", "timings"],
    ["a list", [vllm]],
    ["neither field", { choices: [], usage: { completion_tokens: 5 } }],
    ["null metrics", { metrics: null }],
    ["metrics without speculation", { metrics: { time_to_first_token_ms: 1, speculative_decoding: null } }],
    ["timings of a request without drafts", { timings: { predicted_n: 5, predicted_ms: 1 } }],
    ["negative counts", { timings: { draft_n: -1, draft_n_accepted: 0 } }],
    ["fractions", { timings: { draft_n: 1.5, draft_n_accepted: 1 } }],
    ["counts as text", { timings: { draft_n: "3", draft_n_accepted: "1" } }],
  ])("is null for %s", (_, json) => {
    expect(acceptanceFromResponse(json)).toBeNull();
  });

  it.each([[[]], [[1, -1]], [["1"]], [Array.from({ length: 5000 }, () => 1)], [{}], [null]])(
    "leaves positions unknown for the histogram %j",
    (histogram) => {
      const spec = { ...vllm.metrics.speculative_decoding, acceptance_histogram: histogram };
      const counts = acceptanceFromResponse({ metrics: { speculative_decoding: spec } });
      expect(counts).toMatchObject({ verifySteps: 4, acceptedPerPosition: null });
    },
  );

  it("leaves positions unknown when depths repeat or have gaps", () => {
    const withDepths = (...depths: number[]): unknown => ({
      timings: {
        draft_n: 10,
        draft_n_accepted: 5,
        draft_by_depth: depths.map((depth) => ({ depth, draft_n_accepted: 1 })),
      },
    });
    expect(acceptanceFromResponse(withDepths(1, 1))).toMatchObject({ acceptedPerPosition: null });
    expect(acceptanceFromResponse(withDepths(1, 3))).toMatchObject({ acceptedPerPosition: null });
    expect(acceptanceFromResponse(withDepths(0, 1))).toMatchObject({ acceptedPerPosition: null });
    expect(acceptanceFromResponse(withDepths(2, 1))).toMatchObject({ acceptedPerPosition: [1, 1] });
  });
});

describe("sumSpecDecodeCounts", () => {
  const one = { verifySteps: 4, draftTokens: 12, acceptedTokens: 6, acceptedPerPosition: [3, 2, 1] };

  it("adds counts, positions of different budgets included", () => {
    const two = { verifySteps: 2, draftTokens: 2, acceptedTokens: 1, acceptedPerPosition: [1] };
    expect(sumSpecDecodeCounts([one, two])).toEqual({
      verifySteps: 6,
      draftTokens: 14,
      acceptedTokens: 7,
      acceptedPerPosition: [4, 2, 1],
    });
  });

  it("does not know what one summand does not know", () => {
    const unknown = { verifySteps: null, draftTokens: 5, acceptedTokens: 1, acceptedPerPosition: null };
    const expected = { verifySteps: null, draftTokens: 17, acceptedTokens: 7, acceptedPerPosition: null };
    expect(sumSpecDecodeCounts([one, unknown])).toEqual(expected);
    expect(sumSpecDecodeCounts([unknown, one])).toEqual(expected);
    expect(sumSpecDecodeCounts([])).toBeNull();
  });
});

describe("checkSpecDecodeInvariants", () => {
  const good = { verifySteps: 10, draftTokens: 30, acceptedTokens: 15, acceptedPerPosition: [9, 5, 1] };

  it("finds nothing wrong with good counts, with unknown ones and with none", () => {
    expect(checkSpecDecodeInvariants(good, 3)).toEqual([]);
    expect(checkSpecDecodeInvariants({ ...good, verifySteps: null, acceptedPerPosition: null }, 3)).toEqual(
      [],
    );
    const none = { verifySteps: 0, draftTokens: 0, acceptedTokens: 0, acceptedPerPosition: [0, 0, 0] };
    expect(checkSpecDecodeInvariants(none, 3)).toEqual([]);
  });

  it.each([
    [{ draftTokens: 14 }, undefined, "more tokens accepted (15) than drafted (14)"],
    [{ verifySteps: 31 }, undefined, "more verify steps (31) than draft tokens (30)"],
    [{ verifySteps: 8 }, undefined, "more tokens accepted at position 0 (9) than verify steps (8)"],
    [{ draftTokens: 31 }, 3, "more tokens drafted (31) than 10 steps of 3 can hold (30)"],
    [
      { acceptedTokens: 16 },
      undefined,
      "accepted tokens by position add up to 15, not to the 16 accepted tokens",
    ],
    [
      { acceptedPerPosition: [5, 9, 1] },
      undefined,
      "more tokens accepted at position 1 (9) than at position 0 (5)",
    ],
    [{ acceptedPerPosition: [9, 5, 1, 0] }, 3, "4 draft positions with a draft budget of 3"],
    [{ draftTokens: 30.5 }, undefined, "draft tokens: 30.5 is not a count"],
    [{ verifySteps: -1 }, undefined, "verify steps: -1 is not a count"],
  ])("names what cannot be: %j with budget %s", (change, budget, message) => {
    expect(checkSpecDecodeInvariants({ ...good, ...change }, budget)).toContain(message);
  });
});
