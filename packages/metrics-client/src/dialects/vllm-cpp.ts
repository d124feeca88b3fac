import type { Dialect } from "./dialect.ts";
import { vllm } from "./vllm.ts";

/**
 * vllm.cpp, which publishes vLLM's names. On builds that publish zeros only, the counters stand still while requests
 * complete: a window over own requests shows it.
 */
export const vllmCpp: Dialect = {
  ...vllm,
  engine: "vllm-cpp",
  title: "vllm.cpp",
  enabling: "vllm.cpp serves /metrics from ABI 17 on; some builds need --enable-metrics",
  // By its page alone it is vLLM; what the server says of itself tells them apart.
  recognises: () => false,
  staleness: { seconds: 1, why: "gauges are set with every engine step; some builds publish zeros only" },
};
