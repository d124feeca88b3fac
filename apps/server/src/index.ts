export { createApp, type AppOptions } from "./app.ts";
export { run } from "./cli.ts";
export type { CliEnvironment, TextOutput } from "./cli/environment.ts";
export { defaultLimits, type ServerLimits } from "./server-limits.ts";
