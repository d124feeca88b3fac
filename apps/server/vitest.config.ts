import { builtWorkers, projectTests } from "../../vitest.shared.ts";

// A busy machine may take half a minute to load the model that these tests serve.
export default projectTests({ name: "server", globalSetup: builtWorkers, testTimeout: 90_000 });
