import { describe, expect, it } from "vitest";
import {
  acceptanceFromResponse,
  bestAcceptance,
  readNormal,
  readRequestAcceptance,
  sumRequestAcceptance,
} from "../src/index.ts";
import { fixture, snapshot } from "./pages.ts";

/** One request: a prefill, then four steps that accept 2, 0, 3 and 1 of three draft tokens. */
const request = { completion_tokens: 11, prompt_tokens: 5, spec_verify_ct: 4 };
const counts = { draftTokens: 12, acceptedTokens: 6, verifySteps: 4 };

describe("SGLang's meta_info", () => {
  it.each([
    ["v0.5.15", { spec_num_correct_drafts: 6, spec_num_proposed_drafts: 12 }],
    ["April 2026", { spec_accepted_drafts: 6, spec_proposed_drafts: 12 }],
    ["v0.5.5", { spec_accept_token_num: 6, spec_draft_token_num: 12 }],
  ])("of %s gives the same counts", (_, keys) => {
    expect(readRequestAcceptance({ text: "x", meta_info: { ...request, ...keys } })).toMatchObject({
      ...counts,
      engine: "sglang",
      generated: 11,
    });
    // The same in choices, where chat completions have it.
    const chat = { choices: [{ index: 0, meta_info: { ...request, ...keys } }] };
    expect(acceptanceFromResponse(chat)).toMatchObject(counts);
  });

  it("prefers the newest names where aliases stand beside them", () => {
    const meta = {
      ...request,
      spec_num_correct_drafts: 6,
      spec_num_proposed_drafts: 12,
      spec_accept_token_num: 1,
    };
    expect(readRequestAcceptance({ meta_info: meta })?.fields).toBe("meta_info.spec_num_correct_drafts");
  });

  it.each(["spec_accept_histogram", "spec_correct_drafts_histogram"])("gives positions by %s", (key) => {
    const meta = { ...request, spec_accepted_drafts: 6, spec_proposed_drafts: 12, [key]: [1, 1, 1, 1] };
    expect(readRequestAcceptance({ meta_info: meta })?.acceptedPerPosition).toEqual([3, 2, 1]);
  });

  it("of the first builds gives A without the token of the prefill, and no D", () => {
    const meta = { ...request, spec_accept_length: 2.75 };
    const told = readRequestAcceptance({ meta_info: meta });
    expect(told).toMatchObject({ draftTokens: null, acceptedTokens: 6, verifySteps: 4 });
    expect(acceptanceFromResponse({ meta_info: meta })).toBeNull();
    const reading = sumRequestAcceptance(told === null ? [] : [told]);
    expect(reading).toMatchObject({ rate: null, meanLength: { value: 2.5, formula: "1+A/V" } });
  });

  it("of several choices is added, and missing in one of them is no sum", () => {
    const choice = { meta_info: { ...request, spec_accepted_drafts: 6, spec_proposed_drafts: 12 } };
    const both = readRequestAcceptance({ choices: [choice, choice] });
    expect(both).toMatchObject({ draftTokens: 24, acceptedTokens: 12, verifySteps: 8, generated: 22 });
    expect(readRequestAcceptance({ choices: [choice, {}] })).toBeNull();
    expect(readRequestAcceptance({ choices: [] })).toBeNull();
    expect(readRequestAcceptance({ meta_info: { completion_tokens: 5 } })).toBeNull();
  });
});

describe("TensorRT-LLM", () => {
  it("tells tokens per step of one choice, and no drafts", () => {
    const answer = { choices: [{ avg_decoded_tokens_per_iter: 2.5 }], usage: { completion_tokens: 11 } };
    const told = readRequestAcceptance(answer);
    expect(told).toMatchObject({ engine: "trtllm", draftTokens: null, decodeSteps: 4 });
    const reading = sumRequestAcceptance(told === null ? [] : [told]);
    expect(reading?.tokensPerStep).toMatchObject({ value: 2.5, source: "per-request", formula: "(G-R)/S" });
    expect(acceptanceFromResponse(answer)).toBeNull();
    const two = { choices: [...answer.choices, ...answer.choices] };
    expect(readRequestAcceptance(two)).toBeNull();
  });

  it("counts drafts in records of /perf_metrics", () => {
    const record = {
      first_iter: 10,
      last_iter: 14,
      speculative_decoding: {
        acceptance_rate: 0.5,
        total_accepted_draft_tokens: 6,
        total_draft_tokens: 12,
      },
    };
    const expected = { draftTokens: 12, acceptedTokens: 6, decodeSteps: 4 };
    expect(readRequestAcceptance(record)).toMatchObject(expected);
    expect(readRequestAcceptance({ request_id: 1, perf_metrics: record })).toMatchObject(expected);
  });
});

describe("sums over requests", () => {
  it("turns llama.cpp's timings into tokens per step", () => {
    const told = readRequestAcceptance({ timings: { predicted_n: 200, draft_n: 347, draft_n_accepted: 65 } });
    expect(told?.decodeSteps).toBe(134);
    const reading = sumRequestAcceptance(told === null ? [] : [told]);
    expect(reading?.rate?.value).toBeCloseTo(0.1873, 4);
    expect(reading?.tokensPerStep?.value).toBeCloseTo(1.485, 3);
    expect(reading?.meanLength).toBeNull();
    expect(reading?.rate).toMatchObject({ source: "per-request", window: { kind: "per-request" } });
  });

  it("tells the accepted share by position of ik_llama.cpp over what was drafted there", () => {
    const depths = [
      { depth: 1, draft_n: 10, draft_n_accepted: 8 },
      { depth: 2, draft_n: 6, draft_n_accepted: 3 },
    ];
    const timings = { predicted_n: 30, draft_n: 16, draft_n_accepted: 11, draft_by_depth: depths };
    const told = readRequestAcceptance({ timings });
    const reading = sumRequestAcceptance(told === null ? [] : [told]);
    expect(reading?.perPositionConditional).toEqual([0.8, 0.5]);
  });

  it("is null for no requests, and knows nothing that one of them does not tell", () => {
    expect(sumRequestAcceptance([])).toBeNull();
    const [a, b] = [
      readRequestAcceptance({ meta_info: { ...request, spec_accepted_drafts: 6, spec_proposed_drafts: 12 } }),
      readRequestAcceptance({ meta_info: request }),
    ];
    if (a === null || b === null) throw new Error("nothing told");
    expect(sumRequestAcceptance([a, b])).toMatchObject({
      draftTokens: null,
      acceptedTokens: { value: 12 },
      verifySteps: { value: 8 },
      rate: null,
    });
  });

  it("comes before counters, and counters before gauges", () => {
    const told = readRequestAcceptance({ timings: { predicted_n: 200, draft_n: 347, draft_n_accepted: 65 } });
    const own = sumRequestAcceptance(told === null ? [] : [told]);
    const page = (name: string) => readNormal(snapshot(fixture(`pages/${name}.prom`))).acceptance;
    expect(bestAcceptance([page("sglang"), page("vllm"), own])?.source).toBe("per-request");
    expect(bestAcceptance([page("sglang"), page("vllm"), null])?.source).toBe("counters");
    expect(bestAcceptance([page("sglang"), page("localai")])?.source).toBe("gauge");
    expect(bestAcceptance([page("localai")])).toBeNull();
  });
});
