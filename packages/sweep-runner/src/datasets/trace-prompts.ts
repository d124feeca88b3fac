import { RunError } from "../errors.ts";
import { generatePrompt, type GeneratedPrompt } from "./generated-prompts.ts";
import type { MadePrompt, MakingOptions } from "./generated-workload.ts";
import type { TraceLengths } from "./trace-rows.ts";

/** Blocks, and the rests of prompts, are texts of seeds beside that of prompts. */
const BLOCK_SEED = 0x626c6b;
const REST_SEED = 0x72737464;
/** Texts of blocks that are kept, in characters; a block that was let go is made again, and is the same. */
const KEPT_CHARACTERS = 64 * 2 ** 20;
/** Prompts of a run are in memory before the first one is sent, together this many tokens at most. */
const MOST_TOKENS = 200_000_000;

/** A request of a trace, by its place in the run. */
export interface TracedRequest extends TraceLengths {
  readonly id: string;
}

/**
 * Makes texts of the lengths that a trace tells. Blocks with the same hash id are the same text, so that prompts share the prefixes
 * that those of the trace shared; without hash ids each is a text of its own.
 */
export function traceMaker(
  { config, counter, signal }: MakingOptions,
  seed: number,
): (request: TracedRequest, index: number) => Promise<MadePrompt> {
  const { traceBlockTokens } = config.dataset;
  const kept = new Map<number, string>();
  let keptCharacters = 0;
  let tokens = 0;
  const blockText = async (hashId: number): Promise<string> => {
    const known = kept.get(hashId);
    if (known !== undefined) return known;
    const { text } = await generatePrompt(
      { seed: seed ^ BLOCK_SEED, index: hashId, tokens: traceBlockTokens },
      counter,
      signal,
    );
    if (keptCharacters + text.length <= KEPT_CHARACTERS) {
      kept.set(hashId, text);
      keptCharacters += text.length;
    }
    return text;
  };
  /** The whole blocks of a prompt; as many of them as are not longer than the prompt. */
  const headOf = async ({ inputTokens, hashIds }: TracedRequest): Promise<GeneratedPrompt | undefined> => {
    const blocks: string[] = [];
    const whole = Math.floor(inputTokens / traceBlockTokens);
    for (const hashId of (hashIds ?? []).slice(0, whole)) blocks.push(await blockText(hashId));
    while (blocks.length > 0) {
      const text = blocks.join(" ");
      const counted = counter === null ? blocks.length * traceBlockTokens : await counter.count(text, signal);
      if (counted <= inputTokens) return { text, tokens: counted };
      blocks.pop();
    }
    return undefined;
  };
  return async (request, index) => {
    const { id, inputTokens: wanted, hashIds } = request;
    tokens += wanted;
    if (tokens > MOST_TOKENS)
      throw new RunError(
        "DATASET_INVALID",
        `the prompts of this trace are over ${MOST_TOKENS} tokens together, at ${id}: lower --num-prompts`,
      );
    const head = await headOf(request);
    // What is left after the whole blocks belongs to the last id, so that equal prompts of the trace are equal here.
    const last = hashIds?.at(-1);
    const rest = last === undefined ? { seed, index } : { seed: seed ^ REST_SEED, index: last };
    const { text, tokens: counted } =
      head?.tokens === wanted
        ? head
        : await generatePrompt({ ...rest, tokens: wanted, head }, counter, signal);
    return { prompt: { id, kind: "text", text, tokens: counted }, wanted, counted, tolerance: 0 };
  };
}
