import type { GenerationSpan } from "../jinja/scope.ts";
import { codePointCount } from "../python/code-points.ts";

/** Part of a prompt that a `{% generation %}` block wrote: what a model is trained on. */
export interface AssistantSpan {
  /** From and to, in UTF-16 units: `text.slice(start, end)` is the part. */
  readonly start: number;
  readonly end: number;
  /** The same in code points, as Python counts. */
  readonly codePoints: readonly [start: number, end: number];
}

/**
 * Spans with offsets of both kinds. A block inside a text that the template captured has a place in that text, which Python
 * counts from the output so far; so it is here.
 */
export function assistantSpans(text: string, spans: readonly GenerationSpan[]): readonly AssistantSpan[] {
  let at = 0;
  let count = 0;
  return spans.map(({ start, end, size }) => {
    // Blocks come in the order of the output, but for those that are captured.
    if (start < at) {
      at = 0;
      count = 0;
    }
    count += codePointCount(text.slice(at, start));
    at = start;
    return { start, end, codePoints: [count, count + size] };
  });
}
