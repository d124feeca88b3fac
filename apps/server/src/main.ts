import { run } from "./cli.ts";
import { processEnvironment } from "./cli/environment.ts";

process.exitCode = await run(process.argv.slice(2), processEnvironment());
