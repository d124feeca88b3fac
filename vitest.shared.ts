import { defineConfig, type ViteUserConfig } from "vitest/config";

/** Settings that every project shares: workspace packages are tested from their sources, not from a build. */
export function projectTests(test: NonNullable<ViteUserConfig["test"]> = {}) {
  return defineConfig({
    resolve: { conditions: ["@onpar/source"] },
    ssr: { resolve: { conditions: ["@onpar/source"] } },
    test: { include: ["test/**/*.test.ts"], pool: "forks", testTimeout: 20_000, ...test },
  });
}
