import { processEnv } from "./env.ts";
import { run } from "./run.ts";

const env = processEnv();
env.setExitCode(await run(process.argv.slice(2), env));
