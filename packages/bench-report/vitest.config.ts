import { projectTests } from "../../vitest.shared.ts";

// Everything here is pure: files may share their modules, whose loading is most of the time.
export default projectTests({ name: "bench-report", isolate: false });
