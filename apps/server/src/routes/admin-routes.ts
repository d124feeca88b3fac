import type { FastifyInstance } from "fastify";

import { ApiError } from "../http/api-error.ts";
import type { ServerContext } from "../server-context.ts";

/** Endpoints that change the server for everybody. */
export const adminPaths: ReadonlySet<string> = new Set(["/reset_prefix_cache", "/flush_cache"]);

async function resetPrefixCache({ engine }: ServerContext): Promise<{ readonly success: true }> {
  if (!engine.info.capabilities.prefixCacheReset) {
    throw new ApiError(501, {
      code: "unsupported",
      message: "This engine cannot forget its prefix cache.",
    });
  }
  await engine.resetPrefixCache();
  return { success: true };
}

/** vLLM's name of the reset and SGLang's. */
export function adminRoutes(app: FastifyInstance, context: ServerContext): void {
  for (const path of adminPaths) app.post(path, () => resetPrefixCache(context));
}
