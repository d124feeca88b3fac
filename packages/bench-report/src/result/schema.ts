import type { PartialProtocol } from "@onpar/bench-config";
import { z } from "zod";

import { FIGURE_NAMES } from "./figures.ts";

/** Version of the format that results of any harness are kept and exchanged in. */
export const RESULT_SCHEMA = "onpar.result/1";

/** Values of single requests that a figure keeps at most; beyond that only its statistics are kept. */
export const MOST_VALUES = 20_000;

const number = z.number();
const known = (what: string) => number.nullable().describe(`${what}; null when it is not known`);
const count = (what: string) => z.int().min(0).nullable().describe(`${what}; null when it is not known`);
const tally = z.record(z.string(), z.int().min(0)).nullable();

/** One figure: the value that stands for it, and everything that is known of its spread. */
export const figureSchema = z.strictObject({
  value: known("The value that stands for the figure"),
  statistic: z
    .enum(["p50", "mean", "whole run", "single value"])
    .describe("What `value` is of the values behind it"),
  n: count("Values behind the statistics"),
  mean: known("Mean"),
  std: known("Standard deviation, as the source computes it"),
  min: known("Smallest value"),
  p50: known("Median"),
  p90: known("90th percentile"),
  p95: known("95th percentile"),
  p99: known("99th percentile"),
  max: known("Largest value"),
  ci: z
    .tuple([number, number])
    .nullable()
    .describe("95 % bootstrap interval of the median over requests; null when there is none"),
  multimodal: z
    .boolean()
    .nullable()
    .describe("Whether the values gather around more than one place; null when nobody looked"),
  values: z
    .array(number.nullable())
    .max(MOST_VALUES)
    .nullable()
    .describe("Value of each request, in the order of `requestIds` where there are any"),
  repetitions: z
    .array(number.nullable())
    .nullable()
    .describe("The figure of each repetition, in order; null where there was one"),
});

/** Where a point stands on its ladder. */
export const coordinatesSchema = z.strictObject({
  contextTokens: known("Prompt length that was aimed at, tokens"),
  concurrency: known("Requests in flight that were asked for"),
  ratePerS: known("Requests per second that were asked for"),
  temperature: known("Temperature"),
  profile: z.string().nullable().describe("Configuration of the server, as its publisher calls it"),
  boot: known("Start of the server, from 1"),
});

/** Counts and ratios of speculative decoding. */
export const acceptanceSchema = z.strictObject({
  verifySteps: count("V: verify steps"),
  draftTokens: count("D: drafted tokens"),
  acceptedTokens: count("A: accepted tokens, bonus token excluded"),
  draftBudget: known("K: most tokens drafted per step"),
  perPositionRate: z.array(number).nullable().describe("A_i / V by draft position, from 0"),
  effectiveTokensPerStep: known("(G - R) / S: what clients got per decode step"),
  source: z.string().nullable().describe("Where the counts come from, in words"),
});

const requestCounts = z.strictObject({
  asked: count("Requests that were to be measured"),
  ok: count("Requests that ended well"),
  failed: count("Requests that failed"),
  dropped: count("Requests that came due and were never sent"),
  aborted: count("Requests that the end of the run cut off"),
  unsent: count("Requests that had not come due when the run ended"),
  warmup: count("Requests before the measurement"),
});

const protocolSchema = z.custom<PartialProtocol>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  "expected the parts of a protocol as an object",
);

/** One measured point: a run, or one rung of a ladder. */
export const pointSchema = z.strictObject({
  label: z.string().nullable().describe("What the publisher calls the point"),
  date: z.string().nullable().describe("When it was measured, as the source writes it"),
  at: coordinatesSchema,
  protocol: protocolSchema
    .nullable()
    .describe("Parts of the protocol that are those of this point and not of the whole result"),
  server: z
    .record(z.string(), z.union([z.string(), z.number()]))
    .nullable()
    .describe("Settings of the server that the publisher names beside the figures"),
  counts: requestCounts,
  errors: tally.describe("Failed requests by kind of error"),
  durationS: known("First send to last end, s"),
  reps: count("Requests or repetitions behind the figures, where the source says only that"),
  promptTokens: figureSchema.nullable(),
  outputTokens: figureSchema.nullable().describe("Output lengths that were observed"),
  totalPromptTokens: count("Sum over requests"),
  totalOutputTokens: count("Sum over requests"),
  cachedPromptTokens: count("Prompt tokens from the prefix cache"),
  reachedCap: count("Outputs with exactly the cap"),
  finishReasons: tally.describe("How outputs ended"),
  acceptance: acceptanceSchema.nullable(),
  clientBound: z.boolean().nullable().describe("Whether the client was the limit; null when nobody looked"),
  figures: z.partialRecord(z.enum(FIGURE_NAMES), figureSchema),
  requestIds: z
    .array(z.string())
    .max(MOST_VALUES)
    .nullable()
    .describe(
      "Prompt of each request, in the order of the figures' `values`: equal ones pair in a comparison",
    ),
  requestRepetitions: z
    .array(z.int().min(0))
    .max(MOST_VALUES)
    .nullable()
    .default(null)
    .describe("Repetition of each request, in the same order; null where there was one"),
});

const findingSchema = z.strictObject({
  severity: z.enum(["breach", "warning", "note"]),
  code: z.string(),
  message: z.string(),
});

/** A result of any harness: what is known of its protocol, and its points. What a source does not say is null. */
export const resultSchema = z.strictObject({
  schema: z.literal(RESULT_SCHEMA),
  source: z.strictObject({
    format: z.string().describe("Format that it was read from, for example `onpar.run/2` or `vllm-serve`"),
    tool: z.string().nullable().describe("Program that measured"),
    version: z.string().nullable(),
  }),
  title: z.string().nullable().describe("What the result is called in tables"),
  startedAt: z.string().nullable().describe("As the source writes it; for people only"),
  interrupted: z.boolean().nullable(),
  protocol: protocolSchema.describe(
    "Parts of the protocol that are known; a missing or null part is unknown",
  ),
  points: z.array(pointSchema).min(1).max(10_000),
  findings: z.array(findingSchema).describe("What was asked and not seen"),
  notes: z.array(z.string()).describe("What a reader has to know of the source's conventions"),
});

export type Result = z.infer<typeof resultSchema>;
export type Point = z.infer<typeof pointSchema>;
export type Figure = z.infer<typeof figureSchema>;
export type Coordinates = z.infer<typeof coordinatesSchema>;
export type PointAcceptance = z.infer<typeof acceptanceSchema>;

/** The JSON Schema (draft 2020-12) of a result file. */
export function resultJsonSchema(): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(resultSchema, {
    // A protocol is described by bench-config; here it is an object.
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema === protocolSchema || zodSchema._zod.def.type === "custom") jsonSchema.type = "object";
    },
  });
}
