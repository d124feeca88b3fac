import { builtNative, builtWorkers, projectTests } from "../../vitest.shared.ts";

export default projectTests({ name: "bench", globalSetup: [...builtWorkers, ...builtNative] });
