import type { FastifyInstance } from "fastify";

import type { ServerContext } from "../server-context.ts";

function models({ engine, servedModelName, startedAt }: ServerContext) {
  return {
    object: "list",
    data: [
      {
        id: servedModelName,
        object: "model",
        created: Math.floor(startedAt.getTime() / 1000),
        owned_by: "onpar",
        root: servedModelName,
        parent: null,
        max_model_len: engine.info.contextSize,
      },
    ],
  };
}

/** What a client needs to render prompts itself, under llama.cpp's names. Paths stay on this machine. */
function props({ engine, servedModelName, serverVersion }: ServerContext) {
  const { info } = engine;
  return {
    default_generation_settings: {
      n_ctx: info.contextSize,
      speculative: info.speculation !== null,
      params: { "speculative.n_max": info.speculation?.draftBudget ?? 0 },
    },
    total_slots: info.slots,
    model_alias: servedModelName,
    chat_template: info.chatTemplate ?? "",
    bos_token: info.specialTokens["bos_token"] ?? "",
    eos_token: info.specialTokens["eos_token"] ?? "",
    add_bos_token: info.addsBos,
    modalities: { vision: false, audio: false },
    build_info: `onpar-server ${serverVersion} (${info.engine} ${info.engineVersion ?? "unknown"})`,
  };
}

export function informationRoutes(app: FastifyInstance, context: ServerContext): void {
  app.get("/v1/models", () => models(context));
  app.get("/props", () => props(context));
  app.get("/health", () => ({ status: "ok" }));
  app.get("/version", () => ({ version: context.serverVersion }));
  app.get("/metrics", async (_request, reply) => {
    const { registry } = context.metrics;
    const page = await registry.metrics();
    return reply.type(registry.contentType).send(page);
  });
}
