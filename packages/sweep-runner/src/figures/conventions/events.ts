import type { RequestRecord } from "../../record.ts";
import { CHUNK_LETTERS } from "../../records/chunk-series.ts";

const WITHOUT_CHOICES = [CHUNK_LETTERS.usage, CHUNK_LETTERS.done, CHUNK_LETTERS.error];

/** Arrival (ns) of every event whose list of choices is not empty, a role alone and an empty text included. */
export function choiceEvents({ chunks }: Pick<RequestRecord, "chunks">): number[] {
  const found: number[] = [];
  eachEvent(chunks, (atNs, letter) => {
    if (!WITHOUT_CHOICES.includes(letter)) found.push(atNs);
  });
  return found;
}

/** Arrival (ns) and tokens of every event with text of any channel. */
export function textEvents({
  chunks,
}: Pick<RequestRecord, "chunks">): [atNs: number, tokens: number | null][] {
  const found: [number, number | null][] = [];
  eachEvent(chunks, (atNs, _letter, index) => {
    const tokens = chunks.tokens?.[index] ?? null;
    if ((chunks.bytes[index] ?? 0) > 0) found.push([atNs, tokens]);
  });
  return found;
}

/** Arrival (ns) of the first event with text of the answer, reasoning left out. */
export function firstAnswerEvent({ chunks }: Pick<RequestRecord, "chunks">): number | null {
  let found: number | null = null;
  eachEvent(chunks, (atNs, letter, index) => {
    if (letter !== CHUNK_LETTERS.reasoning && (chunks.bytes[index] ?? 0) > 0) found ??= atNs;
  });
  return found;
}

function eachEvent(
  { kinds, gapsNs }: RequestRecord["chunks"],
  visit: (atNs: number, letter: string, index: number) => void,
): void {
  let atNs = 0;
  for (let index = 0; index < gapsNs.length; index++) {
    atNs += gapsNs[index] ?? 0;
    visit(atNs, kinds.charAt(index), index);
  }
}
