// npm run setup: installs and builds; afterwards node_modules/.bin/onpar and onpar-server run from the root.
import { prepare } from "./lib/prepare.mjs";
import { main } from "./lib/run.mjs";

await main(prepare);
