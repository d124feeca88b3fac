export type { Env, TextOutput } from "./env.ts";
export { processEnv } from "./env.ts";
export { exitCodes, type ExitCode } from "./exit-codes.ts";
export { run } from "./run.ts";
