import type { FastifyInstance } from "fastify";

import { ApiError } from "../http/api-error.ts";
import { openApiDocument } from "../openapi.ts";
import { checkModel, type ServerContext } from "../server-context.ts";

function model({ engine, servedModelName, startedAt }: ServerContext) {
  return {
    id: servedModelName,
    object: "model",
    created: Math.floor(startedAt.getTime() / 1000),
    owned_by: "onpar",
    root: servedModelName,
    parent: null,
    max_model_len: engine.info.contextSize,
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

/** What SGLang and vLLM tell of themselves, with the draft budget under the names that clients look for. */
function serverInfo({ engine, servedModelName, serverVersion }: ServerContext) {
  const { info } = engine;
  const budget = info.speculation?.draftBudget ?? 0;
  return {
    version: serverVersion,
    served_model_name: servedModelName,
    context_length: info.contextSize,
    max_running_requests: info.slots,
    speculative_algorithm: info.speculation?.method ?? null,
    // SGLang counts the bonus token among the draft tokens of a step.
    speculative_num_draft_tokens: budget === 0 ? 0 : budget + 1,
    speculative_num_steps: budget,
    num_speculative_tokens: budget,
    engine: info.engine,
    engine_version: info.engineVersion,
  };
}

function refuseEmbeddings(): never {
  throw new ApiError(501, {
    code: "unsupported",
    message:
      "Embeddings are not supported: this server generates text (/v1/chat/completions, /v1/completions).",
  });
}

export function informationRoutes(app: FastifyInstance, context: ServerContext): void {
  app.get("/v1/models", () => ({ object: "list", data: [model(context)] }));
  app.get<{ Params: { model: string } }>("/v1/models/:model", ({ params }) => {
    checkModel(context, params.model);
    return model(context);
  });
  app.get("/props", () => props(context));
  app.get("/health", () => ({ status: "ok" }));
  app.get("/version", () => ({ version: context.serverVersion }));
  app.get("/get_server_info", () => serverInfo(context));
  app.get("/server_info", () => serverInfo(context));
  app.get("/openapi.json", () => openApiDocument(context.serverVersion));
  app.post("/v1/embeddings", refuseEmbeddings);
  app.get("/metrics", async (_request, reply) => {
    const { registry } = context.metrics;
    const page = await registry.metrics();
    return reply.type(registry.contentType).send(page);
  });
}
