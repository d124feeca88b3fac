import { describe, expect, it } from "vitest";
import {
  dialectByNames,
  dialectOf,
  mergeSnapshots,
  parseIterationStats,
  pageOfIterations,
  readNormal,
  type EngineName,
  type NormalReading,
  type ReadingOptions,
} from "../src/index.ts";
import { counters, fixture, snapshot } from "./pages.ts";

function read(page: string, options: ReadingOptions = {}): NormalReading {
  return readNormal(snapshot(fixture(`pages/${page}`)), options);
}

function figures({ acceptance }: NormalReading) {
  const { reading } = acceptance;
  return {
    d: reading?.draftTokens?.value ?? null,
    a: reading?.acceptedTokens?.value ?? null,
    v: reading?.verifySteps?.value ?? null,
    rate: reading?.rate?.value ?? null,
    length: reading?.meanLength?.value ?? null,
    formulas: [reading?.rate?.formula ?? null, reading?.meanLength?.formula ?? null],
    source: reading?.source ?? null,
  };
}

describe("dialects", () => {
  it.each<[string, EngineName]>([
    ["vllm.prom", "vllm"],
    ["vllm-v0.prom", "vllm"],
    ["sglang.prom", "sglang"],
    ["llama-cpp.prom", "llama-cpp"],
    ["trtllm.prom", "trtllm"],
    ["trtllm-old.prom", "trtllm"],
    ["tgi.prom", "tgi"],
    ["lmdeploy.prom", "lmdeploy"],
    ["dynamo-frontend.prom", "dynamo"],
    ["dynamo-worker-1.prom", "dynamo"],
    ["localai.prom", "localai"],
  ])("are chosen by the names on a page: %s", (page, engine) => {
    expect(dialectByNames([snapshot(fixture(`pages/${page}`))])?.engine).toBe(engine);
  });

  it("know nothing of a page with other names, and say so", () => {
    const reading = readNormal(snapshot("# TYPE http_requests_total counter\nhttp_requests_total 10\n"));
    expect(reading).toMatchObject({ engine: null, busy: { running: null, idle: null }, kvUsage: null });
    expect(reading.acceptance).toMatchObject({ reading: null });
    expect(reading.acceptance.missing).toContain("no names that an engine");
  });

  it("read vLLM", () => {
    const reading = read("vllm.prom");
    expect(figures(reading)).toEqual({
      d: 3000,
      a: 1660,
      v: 1000,
      rate: 1660 / 3000,
      length: 2.66,
      formulas: ["A/D", "1+A/V"],
      source: "counters",
    });
    expect(reading).toMatchObject({
      busy: { running: 3, waiting: 0, idle: false },
      kvUsage: { max: 0.0312, mean: 0.0312 },
      models: ["Qwen/Qwen3-8B"],
      draftBudget: { value: 3, isExact: true },
      counts: { prefixCacheQueries: { value: 18_340 }, generationTokens: { value: 4211 } },
    });
    const { reading: acceptance } = reading.acceptance;
    expect(acceptance?.perPosition?.map(({ value }) => value)).toEqual([0.71, 0.53, 0.42]);
    expect(acceptance?.perPositionConditional).toEqual([0.71, 530 / 710, 420 / 530]);
    expect(acceptance?.meanDraftLength).toMatchObject({ value: 3, formula: "D/V", plusMinus: 0 });
    expect(acceptance?.window).toMatchObject({ kind: "since-start" });
  });

  it("read the old names of vLLM's first engine, which tells no verify steps", () => {
    const reading = read("vllm-v0.prom");
    expect(figures(reading)).toMatchObject({ d: 400, a: 200, v: null, rate: 0.5, length: null });
    expect(reading.kvUsage?.max).toBe(0.125);
    expect(reading.acceptance.reading?.notes[0]).toContain("no verify steps");
  });

  it("count vLLM's decode steps, not the bonus tokens", () => {
    const page = `${fixture("pages/vllm.prom")}# TYPE vllm:time_to_first_token_seconds histogram
vllm:time_to_first_token_seconds_bucket{le="+Inf"} 11
vllm:time_to_first_token_seconds_count 11
vllm:time_to_first_token_seconds_sum 1
# TYPE vllm:inter_token_latency_seconds histogram
vllm:inter_token_latency_seconds_bucket{le="+Inf"} 2100
vllm:inter_token_latency_seconds_count 2100
vllm:inter_token_latency_seconds_sum 30
`;
    expect(readNormal(snapshot(page)).acceptance.reading?.tokensPerStep).toMatchObject({
      value: (4211 - 11) / 2100,
      formula: "(G-R)/S",
    });
  });

  it("read llama.cpp, whose counters have six digits", () => {
    const reading = read("llama-cpp.prom");
    expect(figures(reading)).toMatchObject({ d: 300, a: 150, v: 100, rate: 0.5, length: 2.5 });
    expect(reading).toMatchObject({
      busy: { running: 1, waiting: 0, idle: false },
      draftBudget: { value: 3, isExact: false },
      counts: { requestsFinished: null, generationTokens: { value: 673, plusMinus: 0 } },
    });
    const rounded = counters(
      ["llamacpp:spec_decode_num_draft_tokens_total", 3_214_570],
      ["llamacpp:spec_decode_num_accepted_tokens_total", 999_999],
    );
    const { reading: acceptance } = readNormal(snapshot(rounded)).acceptance;
    expect(acceptance?.draftTokens).toEqual({ value: 3_214_570, plusMinus: 5 });
    expect(acceptance?.acceptedTokens?.plusMinus).toBe(0);
    expect(acceptance?.rate?.plusMinus).toBeCloseTo((0.311 * 5) / 3_214_570, 9);
    expect(acceptance?.notes.join()).toContain("six digits");
  });

  it("count llama.cpp's cache queries as found and processed tokens", () => {
    const page = counters(["llamacpp:prompt_tokens_total", 7], ["llamacpp:prompt_tokens_cached_total", 8]);
    expect(readNormal(snapshot(page)).counts).toMatchObject({
      prefixCacheQueries: { value: 15 },
      prefixCacheHits: { value: 8 },
    });
  });

  it("say of an older llama.cpp that its page has no drafts, and where they are", () => {
    const page = counters(["llamacpp:tokens_predicted_total", 7]);
    expect(readNormal(snapshot(page)).acceptance.missing).toContain("timings");
  });

  it("read TensorRT-LLM by position, and its JSON statistics", () => {
    expect(figures(read("trtllm.prom"))).toMatchObject({ d: 3000, a: 1660, v: 1000, length: 2.66 });
    const list: unknown = JSON.parse(fixture("pages/trtllm-iterations.json"));
    const page = pageOfIterations(parseIterationStats(Array.isArray(list) ? list : []));
    const reading = readNormal({ ...snapshot(""), ...page, drained: true });
    expect(figures(reading)).toMatchObject({ d: 9, a: 6, v: 3, rate: 6 / 9, length: 3 });
    expect(reading).toMatchObject({
      busy: { running: 1, waiting: 0 },
      kvUsage: { max: 0.125 },
      counts: { requestsFinished: { value: 1 } },
    });
    expect(reading.acceptance.reading?.window.kind).toBe("since-read");
  });

  it("take no gauge of TensorRT-LLM for a counter, but its last iteration for what it is", () => {
    const page = fixture("pages/trtllm.prom")
      .replaceAll(" counter", " gauge")
      .replace(/^trtllm_spec_decode_(?:drafted|accepted).*\n/gm, "");
    expect(figures(readNormal(snapshot(page)))).toMatchObject({
      d: null,
      rate: null,
      length: 2.5,
      formulas: [null, "gauge:length"],
      source: "gauge",
    });
  });

  it("read the names without prefix of TensorRT-LLM 1.1", () => {
    const reading = read("trtllm-old.prom");
    expect(reading.distributions.endToEnd).toMatchObject({ count: 1, mean: 3.4878239994868636 });
    expect(reading.models).toEqual([]);
    expect(reading.acceptance.reading).toBeNull();
  });

  it("read TGI, whose drafts only the launcher knows", () => {
    const unknown = read("tgi.prom");
    expect(figures(unknown)).toMatchObject({ d: null, a: 1660, v: 1000, rate: null, length: 2.66 });
    const declared = read("tgi.prom", { facts: { declaredDraftBudget: 3 } });
    expect(figures(declared)).toMatchObject({ d: 3000, rate: 1660 / 3000, formulas: ["A/(V*K)", "1+A/V"] });
    expect(declared.busy).toMatchObject({ running: 3, waiting: 0, staleness: { seconds: null } });
  });

  it("read LMDeploy, its two queues included", () => {
    const reading = read("lmdeploy.prom");
    expect(figures(reading)).toMatchObject({ d: 3000, a: 1660, v: 1000, length: 2.66 });
    expect(reading.busy).toMatchObject({ running: 2, waiting: 4, staleness: { seconds: 10 } });
    expect(reading.counts.requestsByReason).toEqual({ "ResponseType.FINISH": 10 });
  });

  it("have no acceptance for Dynamo's front end, and the sum of its workers", () => {
    const frontend = read("dynamo-frontend.prom");
    expect(frontend.acceptance.missing).toContain("DYN_SYSTEM_PORT");
    expect(frontend).toMatchObject({
      busy: { running: 3, waiting: 0 },
      counts: { requestsFinished: { value: 12 } },
    });
    const pages = ["dynamo-frontend", "dynamo-worker-1", "dynamo-worker-2"].map((name, index) =>
      snapshot(fixture(`pages/${name}.prom`), { url: `http://127.0.0.1:${8000 + index}/metrics` }),
    );
    const merged = readNormal(mergeSnapshots(pages));
    expect(figures(merged)).toMatchObject({ d: 450, a: 180, v: 150, rate: 0.4, length: 2.2 });
    expect(merged).toMatchObject({ engine: "dynamo", busy: { running: 2 } });
  });

  it("say that LocalAI and Ollama tell nothing", () => {
    expect(read("localai.prom").acceptance.missing).toContain("LocalAI exposes no");
    const ollama = readNormal(snapshot(""), { dialect: dialectOf("ollama") });
    expect(ollama.acceptance.missing).toContain("no metrics page");
  });

  it("tell onpar-server from vLLM by its build info", () => {
    const page = `${fixture("pages/vllm.prom")}# TYPE onpar_build_info gauge\nonpar_build_info{version="1"} 1\n`;
    const reading = readNormal(snapshot(page));
    expect(reading).toMatchObject({ engine: "onpar-server", busy: { staleness: { seconds: 0 } } });
    expect(reading.acceptance.reading?.verifySteps?.value).toBe(1000);
  });

  it("select one model of several, and say when they are added", () => {
    const page = counters(
      ['vllm:generation_tokens_total{engine="0",model_name="a"}', 10],
      ['vllm:generation_tokens_total{engine="0",model_name="b"}', 5],
      ['vllm:generation_tokens_total{engine="1",model_name="a"}', 1],
    );
    const both = readNormal(snapshot(page));
    expect(both.counts.generationTokens?.value).toBe(16);
    expect(both.notes[0]).toContain("figures of 2 models are added (a, b)");
    const one = readNormal(snapshot(page), { model: "a" });
    expect(one).toMatchObject({ counts: { generationTokens: { value: 11 } }, models: ["a"], notes: [] });
  });
});
