import { benchConfigSchema, type BenchConfig, type BenchConfigInput } from "@onpar/bench-config";

/** A small run against a server of a test. */
export function config(baseUrl: string, changes: BenchConfigInput = {}): BenchConfig {
  const { target, ...rest } = changes;
  return benchConfigSchema.parse({
    numPrompts: 4,
    warmupRequests: 0,
    inputLen: 8,
    outputLen: 3,
    requestTimeoutMs: 10_000,
    ...rest,
    target: { baseUrl, ...target },
  });
}
