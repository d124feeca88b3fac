import { packageBuild } from "../../tsup.base.ts";

export default packageBuild({
  // The engine's thread starts from a file of its own, beside the module that starts it.
  entry: {
    index: "src/index.ts",
    testing: "src/testing/index.ts",
    "llama-thread": "src/llama/host/llama-thread.ts",
  },
  dts: { entry: { index: "src/index.ts", testing: "src/testing/index.ts" } },
});
