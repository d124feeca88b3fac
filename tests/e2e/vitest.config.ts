import { projectTests } from "../../vitest.shared.ts";

// Whole processes: a server with a model in it, and the command line against it.
export default projectTests({
  name: "e2e",
  testTimeout: 120_000,
  hookTimeout: 60_000,
  fileParallelism: false,
});
