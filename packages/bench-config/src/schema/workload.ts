import { z } from "zod";
import { optionalText, tokens } from "./parts.ts";

/** What the prompts are. */
export const datasetKindSchema = z.enum([
  "auto",
  "prompts",
  "sharegpt",
  "openai-batch",
  "random-ids",
  "random-text",
  "source-code",
  "shared-prefix",
  "multi-turn",
  "trace",
]);

/** What the prompts are made of; the file and the lengths stand beside this group. */
export const datasetSchema = z.strictObject({
  kind: datasetKindSchema
    .default("auto")
    .describe(
      "auto: by the content of the file, random text without one. prompts, sharegpt, openai-batch, multi-turn and " +
        "trace read the file; random-ids, random-text, source-code and shared-prefix are generated.",
    ),
  rangeRatio: z
    .number()
    .min(0)
    .max(1)
    .default(0)
    .describe("Generated lengths are drawn from the length times 1 ± this; 0 keeps them exact."),
  sharedPrefixLen: tokens(0).default(0).describe("Tokens that prompts of one group share, before their own."),
  prefixGroups: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(1)
    .describe("Groups with a shared prefix of their own."),
  hitRate: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .default(null)
    .describe(
      "Share of prompt tokens that the prefix cache can serve, from the first request on: prompts are `inputLen` tokens, " +
        "prefix included. null leaves it to the prefix.",
    ),
  sourcePath: optionalText(
    "File or folder of source code that contexts are cut from; null takes the bundled text.",
  ),
  task: optionalText("Text after each generated context, which says what to do with it; null adds none."),
  turns: z
    .int()
    .min(1)
    .max(1000)
    .nullable()
    .default(null)
    .describe(
      "Most turns per conversation that are played, each when the one before it was answered; null plays all of a " +
        "multi-turn file, and the first of any other. `numPrompts` then counts conversations.",
    ),
  history: z
    .enum(["file", "live"])
    .default("file")
    .describe(
      "What later turns hold as answers to earlier ones: those of the file, where it has them, or those that the server " +
        "gave (live).",
    ),
  turnDelayMs: z
    .int()
    .min(0)
    .max(86_400_000)
    .default(0)
    .describe("Pause of the user before each further turn, ms."),
  recordedLengths: z
    .boolean()
    .default(false)
    .describe(
      "true: each output is capped at the tokens of the answer that its row records; the cap of the run is that of rows without. " +
        "false: one cap holds for all.",
    ),
  shuffle: z
    .boolean()
    .default(false)
    .describe("true: rows are taken in an order drawn from the seed. false: in the file's."),
  oversample: z
    .boolean()
    .default(false)
    .describe("true: rows repeat when there are too few. false: too few rows are refused."),
  traceBlockTokens: tokens(1).default(512).describe("Tokens that one hash id of a trace stands for."),
});

/** How requests arrive. */
export const loadKindSchema = z.enum(["closed-loop", "constant", "poisson", "gamma", "ramp", "trace"]);

const rate = z.number().gt(0).max(1_000_000).nullable().default(null);

/** When requests are sent; the concurrency of the closed loop stands beside this group. */
export const loadSchema = z.strictObject({
  kind: loadKindSchema
    .default("closed-loop")
    .describe(
      "closed-loop keeps `concurrency` requests in flight; constant, poisson and gamma send at `rate`; ramp goes from " +
        "one rate or concurrency to another; trace sends when the trace says.",
    ),
  rate: rate.describe("Requests per second of constant, poisson and gamma; null is no rate."),
  burstiness: z
    .number()
    .gt(0)
    .max(1000)
    .default(1)
    .describe("Shape of gamma arrivals: 1 is Poisson, below 1 comes in bursts, above 1 is more even."),
  maxInFlight: z
    .int()
    .min(1)
    .max(65536)
    .nullable()
    .default(null)
    .describe(
      "Most requests in flight of an open loop; the wait beyond it is client queue time; null has no limit.",
    ),
  durationS: z
    .number()
    .gt(0)
    .max(604_800)
    .nullable()
    .default(null)
    .describe(
      "The run sends for this long, s, even if prompts have to be left over; null sends all of them.",
    ),
  ramp: z
    .strictObject({
      fromRate: rate.describe("Requests per second at the start of a ramp; null ramps no rate."),
      toRate: rate.describe("Requests per second at the end of a ramp; null ramps no rate."),
      fromConcurrency: z
        .int()
        .min(1)
        .max(65536)
        .nullable()
        .default(null)
        .describe("Requests in flight at the start of a ramp; null ramps no concurrency."),
      toConcurrency: z
        .int()
        .min(1)
        .max(65536)
        .nullable()
        .default(null)
        .describe("Requests in flight at the end of a ramp; null ramps no concurrency."),
      shape: z.enum(["linear", "exponential"]).default("linear").describe("How a ramp goes over time."),
    })
    .prefault({}),
  startTogether: z
    .boolean()
    .default(false)
    .describe(
      "true: the first requests wait for each other and start at once. false: each starts as it is ready.",
    ),
  traceSpeed: z
    .number()
    .gt(0)
    .max(1000)
    .default(1)
    .describe("How much faster than recorded a trace is replayed; 1 is as recorded."),
});
