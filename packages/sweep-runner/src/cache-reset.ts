import type { Engine } from "@onpar/engine-binding";
import type { ControlClient } from "./control-client.ts";
import { RunError } from "./errors.ts";

/** Where servers empty their prefix cache: vLLM and onpar-server, then SGLang. */
const PATHS = ["/reset_prefix_cache", "/flush_cache"];

const WAY_OUT = "use --cache nonce, which needs nothing from the server";

/**
 * Empties the prefix cache of a server.
 *
 * @throws {RunError} `TARGET_INVALID` where no such request is answered with success
 */
export async function resetServerCache(control: ControlClient, signal?: AbortSignal): Promise<void> {
  const said: string[] = [];
  for (const path of PATHS) {
    const { status } = await control.post(path, {}, signal);
    if (status >= 200 && status < 300) return;
    said.push(`${path} answered ${status}`);
  }
  throw new RunError(
    "TARGET_INVALID",
    `--cache reset: ${control.root} does not empty its prefix cache (${said.join(", ")}); ${WAY_OUT}`,
  );
}

/**
 * Empties the prefix cache of an engine of this process.
 *
 * @throws {RunError} `TARGET_INVALID` where it cannot
 */
export async function resetEngineCache(engine: Engine): Promise<void> {
  if (engine.info.capabilities.prefixCacheReset) return engine.resetPrefixCache();
  throw new RunError(
    "TARGET_INVALID",
    `--cache reset: ${engine.info.engine} cannot empty its prefix cache; ${WAY_OUT}`,
  );
}
