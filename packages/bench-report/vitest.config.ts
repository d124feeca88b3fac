import { projectTests } from "../../vitest.shared.ts";

export default projectTests({ name: "bench-report" });
