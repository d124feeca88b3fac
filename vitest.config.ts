import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: ["packages/*", "apps/*", "tests/*", "native"],
    reporters: ["default", "./tools/lib/count-reporter.mjs"],
    // Two cores are the reference machine, and several projects load a model.
    maxWorkers: 2,
  },
});
