import { projectTests } from "../../vitest.shared.ts";

export default projectTests({ name: "demo-model" });
