import { builtNative, projectTests } from "../vitest.shared.ts";

export default projectTests({ name: "native", globalSetup: builtNative });
