import type { GenerateFinish, GenerateRequest, TokenBatch } from "@onpar/engine-binding";
import type { FastifyReply } from "fastify";

import type { Place } from "../admission/admission.ts";
import { runGeneration } from "../generation.ts";
import type { ServerContext } from "../server-context.ts";
import type { ChoiceWriter, EndpointNames } from "../wire/choice-writer.ts";

/** One output of a request: what is generated, and what the client sees of it. */
export interface PlannedOutput {
  readonly request: GenerateRequest;
  readonly choices: ChoiceWriter;
}

export interface AnswerOptions {
  readonly names: EndpointNames;
  readonly outputs: readonly PlannedOutput[];
  /** Prompts among the outputs; with `n`, several outputs share one. */
  readonly prompts: readonly (readonly number[])[];
  /** Who asks, for fairness. */
  readonly client: string;
  readonly timings: boolean;
  /** Top-level fields of the answer, and of a stream's first chunk. */
  readonly extra: Readonly<Record<string, unknown>>;
  /** Null: the whole answer in one body. */
  readonly stream: { readonly includeUsage: boolean; readonly continuousUsage: boolean } | null;
}

/** The fields that every chunk of an answer carries. */
export interface Envelope {
  readonly id: string;
  readonly created: number;
  readonly model: string;
}

/** Aborts when the client goes away before its answer is complete, when the server stops, or when it is told to. */
export function abortWithClient(reply: FastifyReply, stopSignal: AbortSignal): AbortController {
  const controller = new AbortController();
  const abort = () => controller.abort();
  if (reply.raw.destroyed || stopSignal.aborted) {
    abort();
    return controller;
  }
  // Taken off with the answer: the stop signal outlives every request, and so would whatever hangs on it.
  stopSignal.addEventListener("abort", abort, { once: true });
  reply.raw.once("close", () => {
    stopSignal.removeEventListener("abort", abort);
    if (!reply.raw.writableFinished) abort();
  });
  return controller;
}

/**
 * Generates all outputs of a request, side by side. When one fails the others are ended, and the first failure is
 * thrown when all have ended.
 *
 * @returns how each ended; null for one that was aborted before it was its turn
 */
export async function generateOutputs(
  { engine, metrics }: ServerContext,
  outputs: readonly Pick<PlannedOutput, "request">[],
  places: readonly Place[],
  controller: AbortController,
  onBatch: (batch: TokenBatch, output: number) => void | Promise<void>,
): Promise<readonly (GenerateFinish | null)[]> {
  const observed = metrics.latency.observe(outputs.length, process.hrtime.bigint());
  const failures: unknown[] = [];
  const finishes = await Promise.all(
    outputs.map(async ({ request }, index) => {
      const place = places[index];
      if (place === undefined) return null;
      try {
        return await runGeneration(request, {
          engine,
          observer: observed.output(request),
          place,
          signal: controller.signal,
          onBatch: (batch) => onBatch(batch, index),
        });
      } catch (error) {
        failures.push(error);
        controller.abort();
        return null;
      }
    }),
  );
  if (failures.length > 0) throw failures[0];
  return finishes;
}
