import { stoppingRule } from "@onpar/bench-config";
import { perCap } from "./output-cap.ts";
import { textOrIds, unsentSettings, type BodyContext, type NativeEndpoint } from "./native-endpoint.ts";

const TAKEN = new Set([
  "ignore_eos",
  "stop",
  "seed",
  "top_k",
  "min_p",
  "repetition_penalty",
  "presence_penalty",
  "frequency_penalty",
]);

/** llama.cpp's `/completion`. It has no least length, and puts BOS before every text where its tokenizer does. */
export function llamaEndpoint({ config, streamed, bosText }: BodyContext): NativeEndpoint {
  const { sampling, target } = config;
  const fields = perCap(config, (own) => ({
    n_predict: stoppingRule(own).cap,
    ignore_eos: config.ignoreEos,
    ...(config.stop.length === 0 ? {} : { stop: [...config.stop] }),
    temperature: sampling.temperature,
    top_p: sampling.topP,
    // Anything below 1 is off; -1 is off in every build.
    top_k: sampling.topK <= 0 ? -1 : sampling.topK,
    min_p: sampling.minP,
    repeat_penalty: sampling.repetitionPenalty,
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
    seed: config.seed,
  }));
  return {
    path: "/completion",
    format: "llama-completion",
    body: (prompt) => ({
      prompt: textOrIds(prompt, bosText),
      ...fields(prompt.outputTokens),
      ...target.extraBody,
      stream: streamed,
    }),
    unsent: unsentSettings(config, TAKEN),
  };
}
