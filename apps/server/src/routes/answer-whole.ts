import type { OutputLogprobs } from "@onpar/engine-binding";
import type { FastifyReply } from "fastify";

import type { Place } from "../admission/admission.ts";
import { shuttingDownError } from "../http/normalise-error.ts";
import type { ServerContext } from "../server-context.ts";
import { endingsOf, tallyOf } from "../wire/finishes.ts";
import { generateOutputs, type AnswerOptions, type Envelope } from "./answer-options.ts";

/** Generates and answers in one body. */
export async function answerWhole(
  context: ServerContext,
  reply: FastifyReply,
  options: AnswerOptions,
  places: readonly Place[],
  controller: AbortController,
  { id, ...envelope }: Envelope,
): Promise<unknown> {
  const gathered = options.outputs.map(() => ({
    text: "",
    tokenIds: [] as number[],
    logprobs: [] as OutputLogprobs[],
  }));
  const finishes = await generateOutputs(context, options.outputs, places, controller, (batch, index) => {
    const one = gathered[index];
    if (one === undefined) return;
    one.text += batch.text;
    for (const tokenId of batch.tokenIds ?? []) one.tokenIds.push(tokenId);
    for (const entry of batch.logprobs ?? []) one.logprobs.push(entry);
  });
  const endings = endingsOf(finishes);
  if (endings === null) {
    // Either nobody is left to answer, or the server cut the output off: half an answer is none.
    if (reply.raw.destroyed) return reply.hijack();
    throw shuttingDownError();
  }
  return {
    id,
    object: options.names.bodyObject,
    ...envelope,
    choices: options.outputs.map(({ choices }, index) => {
      const [output, ending] = [gathered[index], endings[index]];
      return output === undefined || ending === undefined ? null : choices.whole(output, ending);
    }),
    ...options.extra,
    ...tallyOf(finishes, options, context.engine.info),
  };
}
