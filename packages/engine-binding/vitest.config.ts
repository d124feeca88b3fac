import { builtWorkers, projectTests } from "../../vitest.shared.ts";

export default projectTests({ name: "engine-binding", globalSetup: builtWorkers });
