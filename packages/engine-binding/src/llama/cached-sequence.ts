import type {
  ControlledEvaluateInputItem,
  LlamaContextSequence,
  SequenceEvaluateOptions,
} from "node-llama-cpp";
import { EngineError } from "../errors.ts";
import type { SamplerOptions } from "./sampler-options.ts";
import { toToken, toTokens } from "./tokens.ts";

type TokenStream = ReturnType<LlamaContextSequence["evaluateWithMetadata"]>;

/** One token to evaluate, and how to choose the token after it (not at all when null). */
export interface Position {
  readonly token: number;
  readonly sampler: SamplerOptions | null;
  /** The draft token that follows: where another is chosen, nothing need be chosen after it. */
  readonly expected?: number | undefined;
}

/** A token that was chosen, and the probabilities of all tokens in falling order when they were asked for. */
export interface Choice {
  readonly token: number;
  readonly probabilities: ReadonlyMap<number, number> | null;
}

/** One sequence of a context: what it holds, and the ways to evaluate more of it. */
export class CachedSequence {
  /** Tokens held after the last request; the state can be reused for a prompt that begins with some of them. */
  history: readonly number[] = [];
  readonly #sequence: LlamaContextSequence;
  #length = 0;
  #stream: TokenStream | null = null;

  constructor(sequence: LlamaContextSequence) {
    this.#sequence = sequence;
  }

  /** Tokens that are evaluated. */
  get length(): number {
    return this.#length;
  }

  /** Whether a stream of {@link next} is open. */
  get streaming(): boolean {
    return this.#stream !== null;
  }

  /** Drops the state of every token from `length` on. */
  async truncate(length: number): Promise<void> {
    if (length >= this.#length) return;
    await this.#sequence.eraseContextTokenRanges([{ start: length, end: this.#length }]);
    this.#length = length;
  }

  /** Evaluates tokens without asking for what follows. */
  async feed(tokens: readonly number[]): Promise<void> {
    await this.#sequence.evaluateWithoutGeneratingNewTokens(toTokens(tokens));
    this.#length += tokens.length;
  }

  /**
   * Evaluates tokens in one go and chooses a token after each position that has a sampler, up to the first that is not
   * the one expected.
   *
   * @param probabilities whether to give the probabilities of all tokens too, which takes time
   */
  async evaluate(positions: readonly Position[], probabilities = false): Promise<Choice[]> {
    const input = positions.map(({ token, sampler }): ControlledEvaluateInputItem =>
      sampler === null
        ? toToken(token)
        : [toToken(token), { generateNext: { token: true, probabilities, options: sampler } }],
    );
    let ended = false;
    const output = await this.#sequence.controlledEvaluate(input, {
      onTokenResult: (index, { next }) => {
        const expected = positions[index]?.expected;
        if (ended || expected === undefined || next?.token === expected) return;
        ended = true;
        // the choices are made one after the other: what is not asked for any more costs nothing
        for (let later = index + 1; later < input.length; later++)
          input[later] = toToken(positions[later]?.token ?? 0);
      },
    });
    this.#length += positions.length;
    const chosen: Choice[] = [];
    for (const [index, { sampler, expected }] of positions.entries()) {
      if (sampler === null) continue;
      const next = output[index]?.next;
      if (next?.token === undefined || next.token === null) throw noToken();
      chosen.push({ token: next.token, probabilities: next.probabilities ?? null });
      if (expected !== undefined && next.token !== expected) break;
    }
    return chosen;
  }

  /** Evaluates one token and gives the probabilities of all tokens to follow it. */
  async probabilities(token: number, sampler: SamplerOptions): Promise<ReadonlyMap<number, number>> {
    const output = await this.#sequence.controlledEvaluate([
      [toToken(token), { generateNext: { probabilities: true, options: sampler } }],
    ]);
    this.#length += 1;
    const probabilities = output[0]?.next.probabilities;
    if (probabilities === undefined) throw noToken();
    return probabilities;
  }

  /**
   * Evaluates tokens and gives the one that follows, with one sampler for as long as the stream is open: cheaper than
   * {@link evaluate}, which sets up a sampler for every call. `options` count when the stream opens.
   */
  async next(tokens: readonly number[], options: SequenceEvaluateOptions): Promise<number> {
    const opened = this.#stream !== null;
    // the call with metadata is the one that `evaluate` wraps: a step less on every token
    this.#stream ??= this.#sequence.evaluateWithMetadata(toTokens(tokens), {}, options);
    const { value } = await this.#stream.next(opened ? toTokens(tokens) : undefined);
    if (value === undefined) throw noToken();
    this.#length += tokens.length;
    return value.token;
  }

  /** Closes the stream of {@link next}. */
  async closeStream(): Promise<void> {
    const stream = this.#stream;
    this.#stream = null;
    await stream?.return();
  }

  /** Drops everything, also when it is not known how far the last evaluation came. */
  async clear(): Promise<void> {
    this.history = [];
    this.#length = 0;
    await this.#sequence.clearHistory();
  }
}

function noToken(): EngineError {
  return new EngineError("ENGINE_FAILED", "llama.cpp gave no next token: the model may be broken");
}
