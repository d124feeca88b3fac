import { builtWorkers, projectTests } from "../../vitest.shared.ts";

export default projectTests({ name: "server", globalSetup: builtWorkers });
