// npm test: sets up what is missing, then runs every test of the workspace. Arguments go to vitest.
import path from "node:path";
import { prepare } from "./lib/prepare.mjs";
import { main, root, run } from "./lib/run.mjs";

await main(async () => {
  await prepare();
  await run(path.join(root, "node_modules", ".bin", "vitest"), ["run", ...process.argv.slice(2)]);
});
