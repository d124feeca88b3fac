import type { ChunkKind, ChunkMark, ChunkSeries } from "../record.ts";

/** The letter of each kind in {@link ChunkSeries.kinds}. */
export const CHUNK_LETTERS: Readonly<Record<ChunkKind, string>> = {
  role: "r",
  reasoning: "t",
  content: "c",
  tool: "o",
  usage: "u",
  finish: "f",
  error: "e",
  done: "d",
  whole: "w",
  empty: ".",
};

const ALL_KINDS = [
  "role",
  "reasoning",
  "content",
  "tool",
  "usage",
  "finish",
  "error",
  "done",
  "whole",
  "empty",
] as const satisfies readonly ChunkKind[];
const KINDS: ReadonlyMap<string, ChunkKind> = new Map(ALL_KINDS.map((kind) => [CHUNK_LETTERS[kind], kind]));

/** Collects the events of one stream in the form that records hold. */
export class ChunkBuilder {
  #kinds = "";
  readonly #gapsNs: number[] = [];
  readonly #bytes: number[] = [];
  /** Made when the first event tells its tokens. */
  #tokens: (number | null)[] | null = null;
  #before = 0;

  get length(): number {
    return this.#gapsNs.length;
  }

  /** @param atNs arrival, ns since the start of the run */
  push(atNs: number, kind: ChunkKind, bytes: number, tokens: number | null): void {
    if (tokens !== null && this.#tokens === null)
      this.#tokens = Array.from({ length: this.#gapsNs.length }, () => null);
    this.#kinds += CHUNK_LETTERS[kind];
    this.#gapsNs.push(atNs - this.#before);
    this.#bytes.push(bytes);
    this.#tokens?.push(tokens);
    this.#before = atNs;
  }

  /** What came so far; the builder may go on. */
  series(): ChunkSeries {
    return { kinds: this.#kinds, gapsNs: this.#gapsNs, bytes: this.#bytes, tokens: this.#tokens };
  }
}

/** Events one by one into the form that records hold. */
export function packChunks(marks: Iterable<ChunkMark>): ChunkSeries {
  const builder = new ChunkBuilder();
  for (const [atNs, kind, bytes, tokens] of marks) builder.push(atNs, kind, bytes, tokens);
  return builder.series();
}

/** The events of a record one by one, with absolute offsets. For looking at; figures walk the series itself. */
export function chunkMarks({ kinds, gapsNs, bytes, tokens }: ChunkSeries): ChunkMark[] {
  let atNs = 0;
  return gapsNs.map((gap, index) => {
    atNs += gap;
    const kind = KINDS.get(kinds.charAt(index)) ?? "empty";
    return [atNs, kind, bytes[index] ?? 0, tokens?.[index] ?? null];
  });
}

/** A chunk with text of any channel, or with a token id. Role-only, usage and empty chunks carry none. */
export function carriesTokens([, , bytes, tokens]: ChunkMark): boolean {
  return bytes > 0 || (tokens ?? 0) > 0;
}
