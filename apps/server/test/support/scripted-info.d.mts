import type { EngineInfo } from "@onpar/engine-binding";

/** What an engine that follows a script says of itself. */
export declare const scriptedInfo: EngineInfo;
