import { z } from "zod";
import { optionalText, seconds, texts, variableName } from "./parts.ts";

/** What is done against prompts that a cache already knows. */
export const cacheSchema = z.strictObject({
  policy: z
    .enum(["none", "nonce", "reset"])
    .default("none")
    .describe(
      "none leaves the prefix cache alone, nonce begins each prompt with a text of its own, reset empties the cache " +
        "before the measurement.",
    ),
});

/** How the client that measures is built. It must not change a figure. */
export const clientSchema = z.strictObject({
  workers: z
    .union([z.int().min(1).max(256), z.literal("auto")])
    .default("auto")
    .describe("Workers that send and stamp; auto takes as many as the load needs and the machine has."),
  workerKind: z.enum(["thread", "process"]).default("thread").describe("What a worker is."),
  keepText: z
    .boolean()
    .default(false)
    .describe("true: records hold the text of each output. false: they hold its hash and length."),
});

export const repetitionSchema = z.strictObject({
  reps: z.int().min(1).max(10_000).default(1).describe("Measurements of each point, one after the other."),
  boots: z
    .int()
    .min(1)
    .max(1000)
    .default(1)
    .describe("Starts of the server, each with all its measurements."),
  cooldownS: seconds().default(0).describe("Pause between measurements, s."),
});

/** A value that a swept setting may take. */
const sweptValue = z.union([z.string(), z.number(), z.boolean(), z.null()]);

export const sweepSchema = z.strictObject({
  axes: z
    .array(z.strictObject({ field: z.string().min(1), values: z.array(sweptValue).min(1).max(1000) }))
    .max(8)
    .default([])
    .describe("Settings that are varied, each with its values; every combination is one point."),
  order: z
    .enum(["given", "interleaved", "shuffled"])
    .default("given")
    .describe(
      "given finishes each point with all its measurements; interleaved measures every point once before the next " +
        "round; shuffled does so in an order drawn from the seed.",
    ),
});

/** The server under test, where this program starts it. */
export const serverSchema = z.strictObject({
  command: texts(512)
    .default([])
    .describe("Command that starts the server, one text per argument, without a shell; empty starts none."),
  cwd: optionalText("Folder that the server is started in; null takes the current one."),
  envNames: z
    .array(variableName)
    .max(256)
    .default([])
    .describe("Names of environment variables that are handed to the server, beside PATH and HOME."),
  readyUrl: z
    .url({ protocol: /^https?$/ })
    .nullable()
    .default(null)
    .describe("Page that answers with success when the server is ready; null asks for its list of models."),
  readyTimeoutS: seconds(86_400).default(600).describe("Longest wait for a ready server, s."),
  stopSignal: z
    .enum(["SIGTERM", "SIGINT", "SIGKILL"])
    .default("SIGTERM")
    .describe("Signal that ends the server."),
  stopTimeoutS: seconds(86_400).default(30).describe("Longest wait for it to end before it is killed, s."),
  logFile: optionalText(
    "File for what the server prints; null keeps the last lines for error messages only.",
  ),
});

/** Speculation of a server, as whoever started it says. What was observed stands in the result. */
export const speculationSchema = z.strictObject({
  method: optionalText(
    "How the server speculates, such as off, draft, ngram, eagle3 or mtp; null says nothing.",
  ),
  draftTokens: z
    .int()
    .min(0)
    .max(1024)
    .nullable()
    .default(null)
    .describe("Draft budget K of the server, tokens; null says nothing."),
  draftModel: optionalText("Draft model of the server; null says nothing."),
});

/** What no request can prove about the system under test, as whoever runs it says. */
export const declaredSchema = z.strictObject({
  repository: optionalText("Repository of the model; null says nothing."),
  revision: optionalText("Revision of the model; null says nothing."),
  quantization: optionalText("Quantisation of the weights; null says nothing."),
  kvDtype: optionalText("Type of the KV cache; null says nothing."),
  tokenizer: optionalText("Tokenizer, by name or hash; null says nothing."),
  engine: optionalText("Engine and version; null takes what the server tells."),
  hardware: optionalText("GPU or CPU of the server; null says nothing."),
});
