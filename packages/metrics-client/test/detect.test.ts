import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { detectEngine, MetricsError, probeServer, type EngineName } from "../src/index.ts";
import { fixture, snapshot } from "./pages.ts";
import { serve, withAnswers, type Answers } from "./servers.ts";

const models = (owner: string): object => ({ object: "list", data: [{ id: "m", owned_by: owner }] });

/** What servers answer whose metrics pages are off. */
const ANSWERS: readonly (readonly [EngineName, string | null, "certain" | "likely", Answers])[] = [
  ["vllm", "0.32.0", "likely", { "/v1/models": models("vllm"), "/version": { version: "0.32.0" } }],
  ["vllm", null, "likely", { "/server_info": { vllm_config: "VllmConfig(…)", vllm_env: {} } }],
  ["sglang", "0.5.15", "certain", { "/v1/models": models("sglang"), "/server_info": { version: "0.5.15" } }],
  ["sglang", null, "certain", { "/get_server_info": { internal_states: [{}], tp_size: 1 } }],
  [
    "llama-cpp",
    "b10519-x",
    "certain",
    { "/v1/models": models("llamacpp"), "/props": { build_info: "b10519-x" } },
  ],
  ["llama-cpp", null, "certain", { "/props": { default_generation_settings: { n_ctx: 4096 } } }],
  ["trtllm", "1.2.0", "certain", { "/v1/models": models("tensorrt_llm"), "/version": { version: "1.2.0" } }],
  ["tgi", "3.3.4", "certain", { "/info": { router: "text-generation-router", version: "3.3.4" } }],
  ["lmdeploy", null, "certain", { "/v1/models": models("lmdeploy") }],
  ["onpar-server", null, "certain", { "/v1/models": models("onpar") }],
  ["ollama", "0.20.0", "certain", { "/v1/models": models("library"), "/api/version": { version: "0.20.0" } }],
  ["localai", "v4.1", "likely", { "/version": { version: "v4.1" }, "/api/version": { version: "0.9.0" } }],
];

describe("detectEngine", () => {
  it.each(ANSWERS)("knows %s %s by what it answers: %s", async (engine, version, confidence, answers) => {
    const url = await serve(withAnswers(answers));
    const detection = detectEngine(await probeServer(url));
    expect(detection).toMatchObject({ dialect: { engine }, version, confidence });
    expect(detection.evidence).toHaveLength(1);
  });

  it.each<[string, EngineName]>([
    ["pages/vllm.prom", "vllm"],
    ["pages/vllm-v0.prom", "vllm"],
    ["pages/sglang.prom", "sglang"],
    ["pages/llama-cpp.prom", "llama-cpp"],
    ["pages/trtllm.prom", "trtllm"],
    ["pages/tgi.prom", "tgi"],
    ["pages/lmdeploy.prom", "lmdeploy"],
    ["pages/dynamo-frontend.prom", "dynamo"],
    ["pages/localai.prom", "localai"],
    ["captured/vllm-after.prom", "vllm"],
    ["captured/llama-cpp-after.prom", "llama-cpp"],
  ])("believes the names on the page %s before what a proxy answers", (page, engine) => {
    const facts = { models: models("library"), apiVersion: { version: "1" } };
    expect(detectEngine(facts, [snapshot(fixture(page))])).toMatchObject({
      dialect: { engine },
      confidence: "certain",
    });
  });

  it("tells vllm.cpp from vLLM by its server info and by what is not on its page", () => {
    const facts = { serverInfo: { vllm_config: "…", vllm_env: {}, system_env: {} } };
    const page = snapshot(fixture("pages/vllm.prom"));
    expect(detectEngine(facts, [page])).toMatchObject({
      dialect: { engine: "vllm-cpp" },
      confidence: "likely",
    });
    expect(detectEngine({}, [page])).toMatchObject({ dialect: { engine: "vllm" } });
    const python = snapshot(fixture("captured/vllm-after.prom"));
    expect(detectEngine(facts, [python])).toMatchObject({ dialect: { engine: "vllm" } });
  });

  it("knows nothing of a server that says nothing, or web pages only", async () => {
    const nothing = { dialect: null, confidence: "none", evidence: [], version: null };
    expect(detectEngine({})).toEqual(nothing);
    const url = await serve((_, response) => response.end("<html></html>"));
    expect(detectEngine(await probeServer(url))).toEqual(nothing);
    expect(detectEngine({ models: models("constructor") })).toEqual(nothing);
    expect(detectEngine({ models: [1], props: "x", serverInfo: null, version: { version: 3 } })).toEqual(
      nothing,
    );
  });
});

describe("probeServer", () => {
  it("asks below the API's own address, with the key, and costs the server no token", async () => {
    const asked: IncomingMessage[] = [];
    const url = await serve(withAnswers({ "/v1/models": models("vllm") }, asked));
    const headers = { authorization: "Bearer key" };
    expect(await probeServer(`${url}/v1/`, { headers })).toEqual({ models: models("vllm") });
    expect(asked[0]?.url).toBe("/v1/models");
    expect(asked.map(({ method }) => method)).toEqual(asked.map(() => "GET"));
    expect(asked.map((request) => request.headers.authorization)).toEqual(asked.map(() => "Bearer key"));
  });

  it("gives up with the first path on a server that does not answer", async () => {
    let asked = 0;
    const url = await serve(() => asked++);
    expect(await probeServer(url, { timeoutMs: 50 })).toEqual({});
    expect(asked).toBe(1);
  });

  it("takes what is answered where other paths hang", async () => {
    const answers = withAnswers({ "/v1/models": models("sglang") });
    const url = await serve((request, response) => {
      if (request.url === "/v1/models") answers(request, response);
    });
    expect(await probeServer(url, { timeoutMs: 100 })).toEqual({ models: models("sglang") });
  });

  it("ends when the caller aborts, and refuses what is no address", async () => {
    const url = await serve(() => undefined);
    const controller = new AbortController();
    const outcome = probeServer(url, { signal: controller.signal });
    controller.abort();
    await expect(outcome).rejects.toMatchObject({ code: "METRICS_ABORTED" });
    await expect(probeServer("nowhere")).rejects.toBeInstanceOf(MetricsError);
  });
});
