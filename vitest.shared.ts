import { fileURLToPath } from "node:url";
import { defineConfig, type ViteUserConfig } from "vitest/config";

/** For projects whose tests run a load: its workers start from a file of their own, which is built before. */
export const builtWorkers = [fileURLToPath(new URL("./tools/lib/build-workers.mjs", import.meta.url))];

/** For projects that use the addon over libvllm: it and the libraries that stand in for libvllm are built before. */
export const builtNative = [fileURLToPath(new URL("./tools/lib/build-native.mjs", import.meta.url))];

/** Settings that every project shares: workspace packages are tested from their sources, not from a build. */
export function projectTests(test: NonNullable<ViteUserConfig["test"]> = {}) {
  return defineConfig({
    resolve: { conditions: ["@onpar/source"] },
    ssr: { resolve: { conditions: ["@onpar/source"] } },
    // hooks load models, which takes long on a machine that is busy
    test: {
      include: ["test/**/*.test.ts"],
      pool: "forks",
      testTimeout: 20_000,
      hookTimeout: 60_000,
      ...test,
    },
  });
}
