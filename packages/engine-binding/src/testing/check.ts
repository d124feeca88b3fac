import type { Engine, GenerateFinish, GenerateRequest, TokenBatch } from "../engine.ts";

/** The engine under test, and prompts that suit its model. */
export interface ConformanceSubject {
  /** Loads an engine anew, with at least two slots. It is disposed by whoever called this. */
  readonly load: () => Promise<Engine>;
  /** A text prompt whose greedy answer has at least eight tokens. */
  readonly prompt: string;
  /** A text prompt whose answer, with `ignoreEos`, takes at least a second for `longTokens` tokens. */
  readonly longPrompt: string;
  readonly longTokens: number;
}

/** One rule that every engine keeps. */
export interface ConformanceCheck {
  readonly name: string;
  /** Why this engine need not keep it, by what it says of itself; null when it must. */
  reasonToSkip(engine: Engine): string | null;
  /** @throws {AssertionError} when the rule is broken */
  run(engine: Engine, subject: ConformanceSubject): Promise<void>;
}

/** A generation, read to its end. */
export interface Output {
  readonly batches: readonly TokenBatch[];
  /** Null when the engine gave none. */
  readonly ids: readonly number[] | null;
  readonly text: string;
  readonly finish: GenerateFinish;
}

/** Reads a generation to its end, and holds it to have exactly one, in its last batch. */
export async function read(engine: Engine, request: GenerateRequest, signal?: AbortSignal): Promise<Output> {
  const batches: TokenBatch[] = [];
  for await (const batch of engine.generate(request, signal)) batches.push(batch);
  const finishes = batches.filter((batch) => batch.finish !== undefined);
  const finish = batches.at(-1)?.finish;
  if (finish === undefined || finishes.length !== 1) {
    throw new Error(`a stream ends with the one batch that carries finish: ${finishes.length} did`);
  }
  const known = batches.filter((batch) => batch.tokenIds !== null);
  return {
    batches,
    ids: known.length === 0 ? null : known.flatMap((batch) => [...(batch.tokenIds ?? [])]),
    text: batches.map((batch) => batch.text).join(""),
    finish,
  };
}

/** For rules that every engine must keep. */
export const always = (): null => null;
