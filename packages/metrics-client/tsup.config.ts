import { packageBuild } from "../../tsup.base.ts";

export default packageBuild({
  entry: { index: "src/index.ts", publish: "src/publish/spec-decode-metrics.ts" },
});
