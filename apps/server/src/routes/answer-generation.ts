import type { FastifyReply } from "fastify";

import type { ServerContext } from "../server-context.ts";
import { abortWithClient, type AnswerOptions } from "./answer-options.ts";
import { answerStream } from "./answer-stream.ts";
import { answerWhole } from "./answer-whole.ts";

/**
 * Generates and answers, in one body or as a stream.
 *
 * @throws {ApiError} 429 when the queue is full
 */
export async function answerGeneration(
  context: ServerContext,
  reply: FastifyReply,
  options: AnswerOptions,
): Promise<unknown> {
  const places = context.admission.reserve(options.client, options.outputs.length);
  const controller = abortWithClient(reply, context.stopSignal);
  const envelope = {
    id: options.names.idPrefix + context.randomId(),
    created: Math.floor(context.now().getTime() / 1000),
    model: context.servedModelName,
  };
  const { stream } = options;
  return stream === null
    ? await answerWhole(context, reply, options, places, controller, envelope)
    : await answerStream(context, reply, { ...options, stream }, places, controller, envelope);
}
