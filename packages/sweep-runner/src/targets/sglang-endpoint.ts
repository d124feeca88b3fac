import { stoppingRule } from "@onpar/bench-config";
import { perCap } from "./output-cap.ts";
import { textOrIds, unsentSettings, type BodyContext, type NativeEndpoint } from "./native-endpoint.ts";

const TAKEN = new Set([
  "ignore_eos",
  "min_tokens",
  "stop",
  "seed",
  "top_k",
  "min_p",
  "repetition_penalty",
  "presence_penalty",
  "frequency_penalty",
]);

/**
 * SGLang's `/generate`. Builds before the end of 2025 refuse `sampling_seed`, so it is sent only where it has an effect: with a
 * temperature above 0.
 */
export function sglangEndpoint({ config, streamed, bosText }: BodyContext): NativeEndpoint {
  const { sampling, target } = config;
  const fields = perCap(config, (own) => ({
    max_new_tokens: stoppingRule(own).cap,
    ignore_eos: config.ignoreEos,
    ...(own.minTokens > 0 ? { min_new_tokens: own.minTokens } : {}),
    ...(config.stop.length === 0 ? {} : { stop: [...config.stop] }),
    temperature: sampling.temperature,
    top_p: sampling.topP,
    top_k: sampling.topK <= 0 ? -1 : sampling.topK,
    min_p: sampling.minP,
    repetition_penalty: sampling.repetitionPenalty,
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
    ...(sampling.temperature > 0 ? { sampling_seed: config.seed } : {}),
  }));
  return {
    path: "/generate",
    format: "sglang-generate",
    body(prompt) {
      const given = textOrIds(prompt, bosText);
      return {
        ...(typeof given === "string" ? { text: given } : { input_ids: given }),
        sampling_params: fields(prompt.outputTokens),
        ...target.extraBody,
        stream: streamed,
      };
    },
    unsent: unsentSettings(config, TAKEN),
  };
}
