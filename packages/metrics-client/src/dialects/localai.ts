import type { Dialect } from "./dialect.ts";
import { unmeasured } from "./unmeasured.ts";

/** LocalAI's page is about its API; the engines behind it are not on it. */
export const localai: Dialect = {
  ...unmeasured(
    {
      engine: "localai",
      title: "LocalAI",
      enabling: "LocalAI serves /metrics by default (an admin's key is needed where keys are in use)",
      recognises: (name) => name.startsWith("localai_") || /^api_call(?:_|$)/.test(name),
    },
    "LocalAI exposes no speculative decoding: its page does not carry the figures of the engines behind it",
  ),
  histograms: {
    endToEnd: { names: ["api_call", "api_call_seconds"], observation: "request", unit: "s" },
  },
};
