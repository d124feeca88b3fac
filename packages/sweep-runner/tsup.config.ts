import { packageBuild } from "../../tsup.base.ts";

export default packageBuild({
  // Workers and the timetable server are files of their own, beside the module that starts them.
  entry: {
    index: "src/index.ts",
    "worker-main": "src/workers/worker-main.ts",
    "timetable-main": "src/selftest/timetable-main.ts",
  },
  dts: { entry: { index: "src/index.ts" } },
});
