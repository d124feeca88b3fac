import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import {
  acceptanceFrom,
  acceptanceFromResponse,
  checkSpecDecodeInvariants,
  counterIncrease,
  deltaSnapshots,
  histogramOf,
  meanOf,
  MetricsError,
  PageIndex,
  parseExposition,
  quantileOf,
  readRequestAcceptance,
  readSpecDecodeCounts,
  scrapeMetrics,
} from "../src/index.ts";
import { counters, snapshot, specPage } from "./pages.ts";
import { serve } from "./servers.ts";

// Cases from public reports, beside the repository on machines that have them. Every fault they show has a test of its own
// in this folder; here the cases' own numbers are checked.
const folder = fileURLToPath(new URL("../../../../shared/cases/", import.meta.url));

/** Cases of this kind that belong elsewhere, with the reason. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  E17: "how often a run scrapes is the runner's choice: sweep-runner checks it",
  F10: "chunk gaps are no server metric: sweep-runner checks them",
};

type Json = Record<string, unknown>;

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value deep in a case; a case without it is an error. */
function at(value: unknown, ...path: (string | number)[]): unknown {
  let current: unknown = value;
  for (const key of path) {
    if (Array.isArray(current) && typeof key === "number") current = current[key];
    else if (isObject(current) && typeof key === "string" && key in current) current = current[key];
    else throw new Error(`the case has no ${path.join(".")}`);
  }
  return current;
}

function textAt(value: unknown, ...path: (string | number)[]): string {
  const found = at(value, ...path);
  if (typeof found !== "string") throw new Error(`${path.join(".")} is no text`);
  return found;
}

function numberAt(value: unknown, ...path: (string | number)[]): number {
  const found = at(value, ...path);
  if (typeof found !== "number") throw new Error(`${path.join(".")} is no number`);
  return found;
}

function numbersAt(value: unknown, ...path: (string | number)[]): number[] {
  const found = at(value, ...path);
  if (!Array.isArray(found)) throw new Error(`${path.join(".")} is no list`);
  return found.map((_, index) => numberAt(found, index));
}

function readCase(id: string): unknown {
  return JSON.parse(readFileSync(`${folder}${id}.json`, "utf8"));
}

/** Rate and length of a page since the server's start. */
function sinceStart(text: string): {
  rate: number | null;
  length: number | null;
  positions: readonly number[] | null;
} {
  const counts = readSpecDecodeCounts(parseExposition(text));
  const acceptance = counts === null ? null : acceptanceFrom(counts, "metrics-delta");
  return {
    rate: acceptance?.rate ?? null,
    length: acceptance?.meanAcceptanceLength ?? null,
    positions: acceptance?.perPositionRate ?? null,
  };
}

const checks: Readonly<Record<string, (data: unknown) => void | Promise<void>>> = {
  E01: (data) => {
    const old = sinceStart(textAt(data, "input", "old"));
    expect([old.rate, old.length]).toEqual([
      at(data, "expected", "old", "acceptance_rate"),
      at(data, "expected", "old", "acceptance_length"),
    ]);
    const now = sinceStart(textAt(data, "input", "new"));
    expect(now.rate).toBe(at(data, "expected", "new", "acceptance_rate"));
    expect(now.length).toBeCloseTo(numberAt(data, "expected", "new", "acceptance_length"), 12);
    expect(now.positions).toEqual(at(data, "expected", "new", "per_position_rate"));
  },
  E04b: (data) => {
    expectValues(data);
    const page = snapshot(textAt(data, "input", "exposition"));
    const empty = snapshot("");
    expect(deltaSnapshots(empty, page).promptTokens).toBe(1234);
  },
  E07: (data) => {
    const pages = numbersAt(data, "input", "scrapes").map((value) =>
      snapshot(counters(["tokens_total", value])),
    );
    let sum = 0;
    for (let i = 1; i < pages.length; i++) {
      const [before, after] = [pages[i - 1], pages[i]];
      if (before !== undefined && after !== undefined) {
        sum += counterIncrease(before, after, "tokens_total").increase ?? Number.NaN;
      }
    }
    expect(sum).toBe(at(data, "expected", "increase_all_scrapes"));
    const [first, last] = [pages.at(0), pages.at(-1)];
    if (first === undefined || last === undefined) throw new Error("no scrapes");
    expect(counterIncrease(first, last, "tokens_total")).toEqual({
      increase: at(data, "expected", "lower_bound_first_last"),
      reset: at(data, "expected", "reset_detected"),
    });
  },
  E08: (data) => {
    const page = (key: string): ReturnType<typeof snapshot> =>
      snapshot(counters(["vllm:generation_tokens_total", numberAt(data, "input", "scrapes", key)]));
    const delta = deltaSnapshots(page("after_warmup"), page("after_run"));
    expect(delta.generationTokens).toBe(at(data, "expected", "run_delta"));
    expect(delta.generationTokens === at(data, "input", "client_output_tokens")).toBe(
      at(data, "expected", "matches_client"),
    );
  },
  E10: async (data) => {
    const responses = at(data, "input", "responses");
    if (!Array.isArray(responses)) throw new Error("no responses");
    for (const [index] of responses.entries()) {
      const url = await serve((_, response) => {
        response.writeHead(numberAt(responses, index, "status"), {
          "content-type": textAt(responses, index, "content_type"),
        });
        response.end(textAt(responses, index, "body"));
      });
      const outcome: unknown = await scrapeMetrics(`${url}/metrics`).catch((error: unknown) => error);
      expect(outcome instanceof MetricsError).toBe(!at(data, "expected", "metrics_available"));
      const words = at(data, "expected", "message_contains_any");
      const { message } = outcome instanceof MetricsError ? outcome : { message: "" };
      expect(Array.isArray(words) && words.some((word) => message.includes(String(word)))).toBe(true);
      expect(message).toContain("header");
    }
  },
  E11: (data) => {
    expect(sinceStart(textAt(data, "input", "frontend")).length).toBe(
      at(data, "expected", "frontend_only", "acceptance_length"),
    );
    const workers = [0, 1].flatMap((worker) => parseExposition(textAt(data, "input", "workers", worker)));
    const counts = readSpecDecodeCounts(workers);
    const acceptance = counts === null ? null : acceptanceFrom(counts, "metrics-delta");
    expect(acceptance?.meanAcceptanceLength).toBe(at(data, "expected", "with_workers", "acceptance_length"));
    expect(acceptance?.rate).toBe(at(data, "expected", "with_workers", "acceptance_rate"));
  },
  E12b: (data) => {
    const page = snapshot(textAt(data, "input", "exposition"));
    const model = textAt(data, "input", "select", "model_name");
    const found = histogramOf(new PageIndex(page, { model }), { names: ["h"] });
    if (found === null) throw new Error("no histogram");
    expect(found.histogram.count).toBe(at(data, "expected", "count"));
    expect(meanOf(found.histogram)).toBe(at(data, "expected", "mean"));
    expect(quantileOf(found.histogram, 0.5)?.value).toBe(at(data, "expected", "p50"));
  },
  E14: expectValues,
  E15: (data) => {
    const [before, after] = [
      snapshot(textAt(data, "input", "before")),
      snapshot(textAt(data, "input", "after")),
    ];
    const increases = at(data, "expected", "increase");
    if (!isObject(increases)) throw new Error("no increases");
    for (const [name, increase] of Object.entries(increases)) {
      expect(counterIncrease(before, after, name)).toEqual({ increase, reset: false });
    }
    expect(deltaSnapshots(before, after).generationTokens).toBe(300);
  },
  E16: expectValues,
  F02: (data) => {
    const steps = numbersAt(data, "input", "accepted_per_step");
    const budget = numberAt(data, "input", "k");
    const histogram = Array.from(
      { length: budget + 1 },
      (_, j) => steps.filter((accepted) => accepted === j).length,
    );
    const counts = acceptanceFromResponse({
      metrics: {
        speculative_decoding: {
          num_spec_steps: steps.length,
          num_draft_tokens: steps.length * budget,
          num_accepted_draft_tokens: steps.reduce((sum, accepted) => sum + accepted, 0),
          acceptance_histogram: histogram,
        },
      },
    });
    if (counts === null) throw new Error("no counts");
    expect(checkSpecDecodeInvariants(counts, budget)).toEqual([]);
    const acceptance = acceptanceFrom(counts, "per-request");
    expect(acceptance.verifySteps).toBe(at(data, "expected", "verify_steps"));
    expect(acceptance.meanAcceptanceLength).toBe(at(data, "expected", "acceptance_length_vllm"));
    expect(acceptance.rate).toBe(at(data, "expected", "acceptance_rate"));
    // SGLang has the token of the prefill in the numerator; without it the two agree.
    const generated =
      numberAt(data, "input", "prefill_tokens") + steps.reduce((sum, one) => sum + one + 1, 0);
    expect(generated).toBe(at(data, "expected", "completion_tokens"));
    const told = readRequestAcceptance({
      meta_info: { completion_tokens: generated, spec_verify_ct: steps.length },
    });
    expect((told?.generated ?? NaN) / (told?.verifySteps ?? NaN)).toBe(
      at(data, "expected", "acceptance_length_sglang"),
    );
    expect(1 + (told?.acceptedTokens ?? NaN) / (told?.verifySteps ?? NaN)).toBe(
      at(data, "expected", "acceptance_length_sglang_without_prefill"),
    );
  },
  F03: (data) => {
    const verifySteps = numberAt(data, "input", "drafts");
    const rates = numbersAt(data, "input", "per_position_rate");
    const counts = {
      verifySteps,
      draftTokens: numberAt(data, "input", "draft_tokens"),
      acceptedTokens: numberAt(data, "input", "accepted_tokens"),
      acceptedPerPosition: rates.map((rate) => Math.round(rate * verifySteps)),
    };
    const acceptance = acceptanceFrom(counts, "engine-counters");
    expect(acceptance.meanAcceptanceLength).toBeCloseTo(numberAt(data, "expected", "acceptance_length"), 4);
    expect(acceptance.rate).toBeCloseTo(numberAt(data, "expected", "acceptance_rate"), 4);
    const sum = (acceptance.perPositionRate ?? []).reduce((total, rate) => total + rate, 0);
    expect(sum).toBeCloseTo(numberAt(data, "expected", "sum_per_position"), 2);
    expect(checkSpecDecodeInvariants(counts, rates.length).length === 0).toBe(
      at(data, "expected", "consistent"),
    );
  },
  F05: (data) => {
    // The case gives V and A alone; D does not enter the length.
    const page = (key: string): ReturnType<typeof snapshot> => {
      const accepted = numberAt(data, "input", key, "accepted_tokens");
      return snapshot(
        counters(
          ["vllm:spec_decode_num_drafts_total", numberAt(data, "input", key, "drafts")],
          ["vllm:spec_decode_num_draft_tokens_total", accepted],
          ["vllm:spec_decode_num_accepted_tokens_total", accepted],
        ),
      );
    };
    const { spec } = deltaSnapshots(page("before"), page("after"));
    if (spec === null) throw new Error("no counts");
    expect(acceptanceFrom(spec, "metrics-delta").meanAcceptanceLength).toBe(
      at(data, "expected", "acceptance_length_run"),
    );
  },
  F07: (data) => {
    const budget = numberAt(data, "input", "k");
    const plausible = numbersAt(data, "input", "values").map((length) => {
      const verifySteps = 100;
      const acceptedTokens = Math.round((length - 1) * verifySteps);
      const counts = {
        verifySteps,
        draftTokens: budget * verifySteps,
        acceptedTokens,
        acceptedPerPosition: null,
      };
      return checkSpecDecodeInvariants(counts, budget).length === 0;
    });
    expect(plausible).toEqual(at(data, "expected", "plausible"));
  },
  F08: (data) => {
    const page = (key: string): ReturnType<typeof snapshot> =>
      snapshot(
        specPage(numberAt(data, "input", key, "drafts"), numberAt(data, "input", key, "draft_tokens"), [
          numberAt(data, "input", key, "accepted_tokens"),
        ]),
      );
    const { spec } = deltaSnapshots(page("before"), page("after"));
    if (spec === null) throw new Error("no counts");
    const acceptance = acceptanceFrom(spec, "metrics-delta");
    expect(acceptance.meanAcceptanceLength).toBe(at(data, "expected", "acceptance_length"));
    expect(acceptance.rate).toBe(at(data, "expected", "acceptance_rate"));
    expect(spec.verifySteps).toBe(at(data, "expected", "drafts"));
  },
};

function expectValues(data: unknown): void {
  const samples = parseExposition(textAt(data, "input", "exposition"));
  const values = at(data, "expected", "values");
  if (!isObject(values)) throw new Error("no values");
  for (const [name, value] of Object.entries(values)) {
    expect(samples.find((sample) => sample.name === name)?.value).toBe(value);
  }
}

const ids = (existsSync(folder) ? readdirSync(folder) : [])
  .map((name) => /^([EF]\d+[a-z]?)\.json$/.exec(name)?.[1])
  .filter((id) => id !== undefined);

describe(`cases of kind E and F (${ids.length === 0 ? "none on this machine: not checked" : `${ids.length} here`})`, () => {
  it("are all checked here or belong elsewhere for a stated reason", () => {
    expect(ids.filter((id) => !(id in checks) && !(id in ELSEWHERE))).toEqual([]);
  });

  it.each(ids.filter((id) => id in checks))("%s", async (id) => {
    expect.hasAssertions();
    await checks[id]?.(readCase(id));
  });
});
