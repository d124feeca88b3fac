import type { GenerateFinish } from "@onpar/engine-binding";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

import { errorBody } from "../http/api-error.ts";
import { normaliseError, shuttingDownError } from "../http/normalise-error.ts";
import { SseWriter } from "../http/sse-writer.ts";
import { generationRequest } from "../requests/generation-request.ts";
import { readRequest } from "../requests/read-request.ts";
import { chatFields, responsesRefusals, responsesRequestSchema } from "../requests/responses-request.ts";
import { checkModel, clientOf, type ServerContext } from "../server-context.ts";
import { ReasoningSplitter } from "../wire/reasoning-splitter.ts";
import { outputItem, ResponseEvents, responseObject, type ResponseEnvelope } from "../wire/responses.ts";
import { wireFinish } from "../wire/usage.ts";
import { abortWithClient, generateOutputs } from "./answer-options.ts";
import { nameIgnoredFields } from "./ignored-fields.ts";

/** A finished output; what was cut off is an error. */
function finished(finish: GenerateFinish | null | undefined): GenerateFinish {
  if (finish == null || wireFinish(finish) === null) throw shuttingDownError();
  return finish;
}

async function responses(
  context: ServerContext,
  http: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { value, ignored } = readRequest(responsesRequestSchema, http.body, responsesRefusals);
  nameIgnoredFields(context, reply, ignored);
  checkModel(context, value.model);
  const fields = chatFields(value);
  const prompt = context.engine.tokenize(context.chatPrompts.render(fields), { addSpecial: false });
  const request = generationRequest(prompt, fields, context.engine.info, {
    maxTokens: null,
    randomSeed: context.randomSeed,
  });
  const outputs = [{ request }];
  const places = context.admission.reserve(clientOf(context, http), 1);
  const controller = abortWithClient(reply, context.stopSignal);
  const envelope: ResponseEnvelope = {
    id: `resp_${context.randomId()}`,
    itemId: `msg_${context.randomId()}`,
    createdAt: Math.floor(context.now().getTime() / 1000),
    model: context.servedModelName,
    request: value,
  };
  const splitter = new ReasoningSplitter();
  let text = "";

  if (value.stream !== true) {
    const [finish] = await generateOutputs(context, outputs, places, controller, (batch) => {
      text += splitter.push(batch.text).content;
    });
    if (finish == null || wireFinish(finish) === null) {
      if (reply.raw.destroyed) return reply.hijack();
      throw shuttingDownError();
    }
    text += splitter.end().content;
    return responseObject(envelope, finish, [outputItem(envelope, text)]);
  }

  const events = new ResponseEvents(envelope);
  reply.hijack();
  const writer = new SseWriter(reply.raw, context.limits.clientStallMs);
  writer.open(reply.getHeaders());
  try {
    await writer.sendNamed(events.opening());
    const [finish] = await generateOutputs(context, outputs, places, controller, (batch) => {
      const delta = splitter.push(batch.text).content;
      text += delta;
      return writer.sendNamed(events.delta(delta));
    });
    const rest = splitter.end().content;
    text += rest;
    writer.endNamed([...events.delta(rest), ...events.closing(text, finished(finish))]);
  } catch (error) {
    const apiError = normaliseError(error);
    if (apiError.cause instanceof Error) context.reportError(apiError.cause);
    writer.endNamed([events.event("error", { ...errorBody(apiError).error })]);
  }
  return reply;
}

export function responsesRoutes(app: FastifyInstance, context: ServerContext): void {
  app.post("/v1/responses", (request, reply) => responses(context, request, reply));
}
