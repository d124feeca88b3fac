/** Part of a prompt that a `{% generation %}` block wrote: what a model is trained on. */
export interface AssistantSpan {
  /** From and to, in UTF-16 units: `text.slice(start, end)` is the part. */
  readonly start: number;
  readonly end: number;
  /** The same in code points, as Python counts. */
  readonly codePoints: readonly [start: number, end: number];
}

/** Code points up to each of these places. The places must not decrease. */
function codePointsUpTo(text: string, places: readonly number[]): number[] {
  const counts: number[] = [];
  let at = 0;
  let count = 0;
  for (const place of places) {
    while (at < place) {
      const pair = (text.codePointAt(at) ?? 0) > 0xffff;
      at += pair ? 2 : 1;
      count += 1;
    }
    counts.push(count);
  }
  return counts;
}

/** Spans with offsets of both kinds, in the order of the prompt. What lies behind the end of the text is cut off. */
export function assistantSpans(
  text: string,
  spans: readonly { readonly start: number; readonly end: number }[],
): readonly AssistantSpan[] {
  if (spans.length === 0) {
    return [];
  }
  const within = spans.map(({ start, end }) => ({
    start: Math.min(start, text.length),
    end: Math.min(end, text.length),
  }));
  const places = within.flatMap(({ start, end }) => [start, end]);
  const order = [...places.keys()].sort((a, b) => (places[a] ?? 0) - (places[b] ?? 0));
  const counts = codePointsUpTo(
    text,
    order.map((index) => places[index] ?? 0),
  );
  const byPlace: number[] = [];
  for (const [rank, index] of order.entries()) {
    byPlace[index] = counts[rank] ?? 0;
  }
  return within.map(({ start, end }, index) => ({
    start,
    end,
    codePoints: [byPlace[index * 2] ?? 0, byPlace[index * 2 + 1] ?? 0],
  }));
}
