import { describe, expect, it } from "vitest";
import { diagnoseMetrics, MetricsError, scrapeMetrics, type Diagnosis } from "../src/index.ts";
import { fixture } from "./pages.ts";
import { serve, withAnswers, type Answers } from "./servers.ts";

async function diagnosisOf(answers: Answers, path = "/metrics"): Promise<Diagnosis & { url: string }> {
  const url = (await serve(withAnswers(answers))) + path;
  const failure: unknown = await scrapeMetrics(url).catch((error: unknown) => error);
  if (!(failure instanceof MetricsError)) throw new Error("the page can be read");
  const diagnosis = await diagnoseMetrics(url, failure);
  expect(diagnosis.error.code).toBe(failure.code);
  expect(diagnosis.error.message).not.toContain("\n");
  expect(diagnosis.error.message.startsWith(failure.message)).toBe(true);
  return { ...diagnosis, url };
}

const owned = (owner: string) => ({ data: [{ id: "m", owned_by: owner }] });

describe("diagnoseMetrics", () => {
  it.each<[string, Answers, string]>([
    ["SGLang", { "/v1/models": owned("sglang") }, "--enable-metrics"],
    ["llama-server", { "/metrics": 501, "/props": { build_info: "b1" } }, "started with --metrics"],
    ["vLLM", { "/v1/models": owned("vllm") }, "--disable-log-stats"],
    ["LMDeploy", { "/v1/models": owned("lmdeploy") }, "metrics"],
    ["TensorRT-LLM", { "/v1/models": owned("tensorrt_llm") }, "return_perf_metrics: true"],
    [
      "TensorRT-LLM with its statistics off",
      { "/metrics": [], "/v1/models": owned("tensorrt_llm") },
      "enable_iter_perf_stats",
    ],
    ["TGI", { "/info": { router: "text-generation-router" } }, "main port"],
    [
      "Ollama",
      { "/metrics": "Ollama is running", "/api/version": { version: "1" } },
      "this is Ollama, which has no metrics page",
    ],
    [
      "LocalAI",
      { "/version": { version: "1" }, "/api/version": { version: "1" } },
      "LocalAI serves /metrics",
    ],
  ])("says how metrics are switched on: %s", async (_, answers, words) => {
    expect((await diagnosisOf(answers)).error.message).toContain(words);
  });

  it("finds the page at another path of the same server", async () => {
    const page = fixture("pages/trtllm.prom");
    const { foundAt, error, url } = await diagnosisOf({ "/metrics": [], "/prometheus/metrics": page });
    expect(foundAt).toBe(url.replace("/metrics", "/prometheus/metrics"));
    expect(error.message).toContain(`its metrics are at ${foundAt}`);
    const wrongPath = await diagnosisOf({ "/metrics": fixture("pages/vllm.prom") }, "/v1/metrics");
    expect(wrongPath.foundAt).toBe(wrongPath.url.replace("/v1/metrics", "/metrics"));
  });

  it("keeps to the failure where nothing else is known", async () => {
    const { error, detection, foundAt } = await diagnosisOf({});
    expect([detection.dialect, foundAt]).toEqual([null, null]);
    expect(error.message).toMatch(
      /answered 404: metrics are not enabled here, or they have another path or port$/,
    );
  });

  it("asks nothing more of a server that refuses the key or is not there", async () => {
    const { error } = await diagnosisOf({ "/metrics": 401, "/v1/models": owned("vllm") });
    expect(error.message).toContain("header");
    const gone = new MetricsError("METRICS_UNREACHABLE", "cannot read it");
    expect((await diagnoseMetrics("http://127.0.0.1:1/metrics", gone)).error).toBe(gone);
  });
});
