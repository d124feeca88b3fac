import { builtNative, builtWorkers, projectTests } from "../../vitest.shared.ts";

export default projectTests({ name: "engine-binding", globalSetup: [...builtWorkers, ...builtNative] });
