import { builtWorkers, projectTests } from "../../vitest.shared.ts";

export default projectTests({ name: "sweep-runner", globalSetup: builtWorkers });
