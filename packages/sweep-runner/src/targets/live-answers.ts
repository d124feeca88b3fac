/**
 * Later turns of a conversation hold what the server answered to earlier ones, which nobody knows before. Their requests are built
 * ahead all the same: marks stand where the answers belong, and are filled in when those have come.
 */

/** Between characters of the private use area, which no template takes apart and JSON leaves as they are. */
const MARK = /\uE0A1onpar-answer-(\d{1,6})\uE0A2/g;

/** Stands for the answer to the turn of that number, from 0. */
export function answerMark(turn: number): string {
  return `\uE0A1onpar-answer-${turn}\uE0A2`;
}

/** A place in a body where an answer is put in, as the inside of a JSON string. */
export interface Hole {
  /** Bytes before it. */
  readonly at: number;
  /** The turn whose answer it is. */
  readonly turn: number;
}

/** A body without its marks, and where they stood. */
export interface CutBody {
  readonly body: Buffer;
  readonly holes: readonly Hole[];
}

/** Takes the marks out of a body. */
export function cutHoles(json: string): CutBody {
  const parts: Buffer[] = [];
  const holes: Hole[] = [];
  let at = 0;
  let from = 0;
  for (const match of json.matchAll(MARK)) {
    const part = Buffer.from(json.slice(from, match.index));
    parts.push(part);
    at += part.length;
    holes.push({ at, turn: Number(match[1]) });
    from = match.index + match[0].length;
  }
  parts.push(Buffer.from(json.slice(from)));
  return { body: Buffer.concat(parts), holes };
}

/** The body as it goes out, with the answers in it; one that is missing is an empty text. */
export function fillBody(body: Uint8Array, holes: readonly Hole[], answers: readonly string[]): Buffer {
  const parts: Uint8Array[] = [];
  let from = 0;
  for (const { at, turn } of holes) {
    parts.push(body.subarray(from, at), Buffer.from(JSON.stringify(answers[turn] ?? "").slice(1, -1)));
    from = at;
  }
  parts.push(body.subarray(from));
  return Buffer.concat(parts);
}

/** A rendered text with the answers in it. */
export function fillText(text: string, answers: readonly string[]): string {
  return text.replace(MARK, (_, turn: string) => answers[Number(turn)] ?? "");
}

/** Answers of conversations under way, by the number of their first request. Kept as long as a later turn waits for them. */
export class LiveAnswers {
  readonly #answers = new Map<number, string[]>();
  readonly #waits: (index: number) => boolean;

  /** @param waits whether the request of that number waits for answers; no first turn does */
  constructor(waits: (index: number) => boolean) {
    this.#waits = waits;
  }

  /** Answers to the turns before this one, in order. */
  of(first: number): readonly string[] {
    return this.#answers.get(first) ?? [];
  }

  /** Request `index` of the conversation that begins at `first` was answered. */
  take(index: number, first: number, answer: () => string): void {
    if (!this.#waits(index + 1)) this.#answers.delete(first);
    else this.#answers.set(first, [...this.of(first), answer()]);
  }

  /** The conversation does not go on. */
  end(first: number): void {
    this.#answers.delete(first);
  }
}
