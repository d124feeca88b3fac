import type { Dialect } from "./dialect.ts";
import { vllmSchema } from "./vllm-schema.ts";

/** onpar-server: vLLM's names, read from the engine when the page is. */
export const onparServer: Dialect = {
  ...vllmSchema("vllm:"),
  engine: "onpar-server",
  title: "onpar-server",
  enabling: "onpar-server always serves /metrics",
  recognises: (name) => name === "onpar_build_info",
  staleness: { seconds: 0, why: "gauges are the engine's own at the moment of the scrape" },
};
