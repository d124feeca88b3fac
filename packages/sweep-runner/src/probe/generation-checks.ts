import type { JsonValue } from "@onpar/bench-config";
import type { Asker, ProbeAnswer } from "./asker.ts";
import { no, unknown, yes, type ProbeCheck } from "./probe-result.ts";

/** One check; sends a few small requests. */
export type GenerationCheck = (asker: Asker) => Promise<ProbeCheck>;

const CAP = 64;
/** Tokens asked for beyond the natural end. */
const BEYOND = 8;
/** Prompts that a model may end early on. */
const SHORT_PROMPTS = [
  "Reply with the one word: yes",
  "What is 1 + 1? Answer with the number only.",
  "Say hi.",
];

interface EarlyEnd {
  readonly prompt: string;
  readonly tokens: number;
}

/** The first prompt whose output ends before the cap by itself; null when none does. */
async function findEarlyEnd(asker: Asker): Promise<EarlyEnd | string> {
  let why = "every output reached the cap of its own";
  for (const prompt of SHORT_PROMPTS) {
    const answer = await asker.chat({ max_tokens: CAP }, prompt);
    if (answer.problem !== null) return answer.problem;
    const tokens = answer.usage?.completionTokens ?? null;
    if (tokens === null) why = "answers carry no usage";
    else if (tokens + BEYOND < CAP) return { prompt, tokens };
  }
  return why;
}

/** Both checks of the stopping rule: an output that ends early, and the same with its end forbidden. */
export async function checkStopping(asker: Asker): Promise<ProbeCheck[]> {
  const early = await findEarlyEnd(asker);
  if (typeof early === "string") {
    const advice = "prove it with a run: outputs of equal length at the cap show it";
    return [unknown("ignore_eos", early, advice), unknown("min_tokens", early, advice)];
  }
  const { prompt, tokens } = early;
  const ask = (fields: Readonly<Record<string, JsonValue>>): Promise<ProbeAnswer> =>
    asker.chat({ max_tokens: CAP, ...fields }, prompt);
  const ignored = await ask({ ignore_eos: true });
  const least = tokens + BEYOND;
  const longer = await ask({ min_tokens: least });
  const told = (answer: ProbeAnswer): number | null => answer.usage?.completionTokens ?? null;
  return [
    ignored.problem !== null
      ? no("ignore_eos", ignored.problem, "run with --no-ignore-eos: this server refuses ignore_eos")
      : told(ignored) === CAP
        ? yes("ignore_eos", `${tokens} tokens without, ${CAP} (the cap) with`)
        : no(
            "ignore_eos",
            `${tokens} tokens without, ${told(ignored) ?? "?"} with, the cap being ${CAP}`,
            "run with --no-ignore-eos: this server takes ignore_eos and drops it",
          ),
    longer.problem !== null
      ? no("min_tokens", longer.problem, "leave --min-tokens out: this server refuses it")
      : (told(longer) ?? 0) >= least
        ? yes("min_tokens", `${tokens} tokens without, ${told(longer)} with a least of ${least}`)
        : no(
            "min_tokens",
            `${tokens} tokens without, ${told(longer) ?? "?"} with a least of ${least}`,
            "leave --min-tokens out: this server drops it; --ignore-eos fixes lengths where it holds",
          ),
  ];
}

/** The same seed twice and two others, sampled. */
export const checkSeed: GenerationCheck = async (asker) => {
  const outputs: string[] = [];
  for (const seed of [11, 11, 12, 13]) {
    const answer = await asker.chat(
      { seed, temperature: 1, top_p: 1, max_tokens: 16 },
      "Write a sentence about the sea.",
    );
    if (answer.problem !== null)
      return no("seed", answer.problem, "this server refuses seed or temperature 1: use greedy sampling");
    outputs.push(answer.reasoning + answer.content);
  }
  const [first, again, ...others] = outputs;
  if (first !== again)
    return no(
      "seed",
      "the same seed gave two outputs",
      "sampled outputs cannot be repeated: use temperature 0",
    );
  return others.every((other) => other === first)
    ? unknown("seed", "three seeds gave the same output", "the model may be too sure of itself to show it")
    : yes("seed", "equal seeds gave equal outputs, others did not");
};

export const checkKwargs: GenerationCheck = async (asker) => {
  const counts: (number | null)[] = [];
  for (const enable of [true, false]) {
    const answer = await asker.chat({ max_tokens: 1, chat_template_kwargs: { enable_thinking: enable } });
    if (answer.problem !== null)
      return no(
        "chat_template_kwargs",
        answer.problem,
        "leave --chat-template-kwargs out: this server refuses it",
      );
    counts.push(answer.usage?.promptTokens ?? null);
  }
  const [on = null, off = null] = counts;
  if (on === null || off === null)
    return unknown("chat_template_kwargs", "answers do not count prompt tokens");
  return on === off
    ? unknown(
        "chat_template_kwargs",
        `enable_thinking changes nothing: ${on} prompt tokens with true and with false`,
        "either the template has no enable_thinking, or the server drops the variables: compare with `onpar render`",
      )
    : yes("chat_template_kwargs", `${on} prompt tokens with enable_thinking, ${off} without`);
};

export const checkUnknownKeys: GenerationCheck = async (asker) => {
  const { problem, status } = await asker.chat({ max_tokens: 1, onpar_probe_of_unknown_keys: true });
  if (problem === null)
    return no(
      "unknown keys",
      "accepted and dropped",
      "a misspelled field goes unnoticed here: look at the findings",
    );
  return status === 400 || status === 422
    ? yes("unknown keys", `refused (${problem})`)
    : unknown("unknown keys", problem);
};

/** Usage at the end of a stream, and the name of the field that reasoning comes in. */
export async function checkStream(asker: Asker): Promise<ProbeCheck[]> {
  const answer = await asker.chat({
    max_tokens: 32,
    stream: true,
    stream_options: { include_usage: true },
  });
  if (answer.problem !== null)
    return [
      no(
        "streaming usage",
        answer.problem,
        "this server does not stream: no time to first token can be measured",
      ),
      unknown("reasoning field", answer.problem),
    ];
  const { usage, raw, reasoning } = answer;
  const field = /"(reasoning_content|reasoning)"\s*:\s*"[^"]/.exec(raw)?.[1];
  return [
    usage?.completionTokens == null
      ? no("streaming usage", "no usage in the stream", "output tokens stay unknown: rates cannot be told")
      : yes(
          "streaming usage",
          `${usage.promptTokens ?? "?"} prompt and ${usage.completionTokens} output tokens`,
        ),
    reasoning === "" || field === undefined
      ? unknown("reasoning field", "no reasoning came")
      : yes("reasoning field", field),
  ];
}

/** Token ids of outputs, and prompts as token ids. */
export async function checkTokenIds(asker: Asker): Promise<ProbeCheck[]> {
  const out = await asker.completion({ max_tokens: 4, return_token_ids: true });
  const prompt = await asker.completion({ max_tokens: 1 }, [1, 2, 3, 4, 5]);
  const counted = prompt.usage?.promptTokens ?? null;
  return [
    out.problem === null && out.tokenIds !== null
      ? yes("token ids of outputs", `return_token_ids gave ${out.tokenIds}`)
      : no(
          "token ids of outputs",
          out.problem ?? "return_token_ids gave none",
          "tokens are counted by usage; exact token streams cannot be compared here",
        ),
    prompt.problem !== null
      ? no("token-id prompts", prompt.problem, "send prompts as text")
      : counted === null
        ? unknown("token-id prompts", "taken, and the prompt tokens are not told")
        : counted === 5 || counted === 6
          ? yes("token-id prompts", `5 ids counted as ${counted} tokens`)
          : no("token-id prompts", `5 ids counted as ${counted} tokens`, "send prompts as text"),
  ];
}
