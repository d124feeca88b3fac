import { stoppingRule, type BenchConfig } from "@onpar/bench-config";

/**
 * The configuration as one request has it whose output cap is its own, as in a trace. A rule of exactly so many tokens stays
 * one; a least length above the cap is lowered to it.
 */
export function withCap(config: BenchConfig, outputTokens: number | null | undefined): BenchConfig {
  if (outputTokens == null) return config;
  const isFixed = stoppingRule(config).name === "fixed";
  const minTokens = isFixed ? outputTokens : Math.min(config.minTokens, outputTokens);
  return { ...config, maxTokens: outputTokens, minTokens };
}

/** Distinct caps whose fields are kept; a trace of more builds some of them again. */
const KEPT = 4096;

/** Fields by the output cap of a request, made once for each; null is the cap of the run. */
export function perCap<Fields>(
  config: BenchConfig,
  make: (config: BenchConfig) => Fields,
): (outputTokens: number | null | undefined) => Fields {
  const own = make(config);
  const kept = new Map<number, Fields>();
  return (outputTokens) => {
    if (outputTokens == null) return own;
    let fields = kept.get(outputTokens);
    if (fields === undefined) {
      fields = make(withCap(config, outputTokens));
      if (kept.size < KEPT) kept.set(outputTokens, fields);
    }
    return fields;
  };
}
