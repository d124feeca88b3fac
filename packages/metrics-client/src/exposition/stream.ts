import { TextDecoder } from "node:util";
import { MetricsError } from "../errors.ts";
import type { ExpositionLimits } from "./limits.ts";
import { ExpositionParser } from "./parser.ts";
import type { ExpositionFormat, MetricSample } from "./sample.ts";

/** Bounds of a streamed page, and its format, which cannot be told before its end. */
export interface ExpositionStreamOptions extends ExpositionLimits {
  /** Default: `classic`. */
  readonly format?: ExpositionFormat;
}

/**
 * Parses a page while it comes, and gives the samples of each piece as a list. Memory is bounded by one piece and one line,
 * however long the page is; so a series that is given twice is not noticed, which `parseMetricsPage` does.
 *
 * The samples are only to be trusted when the iteration has ended without an error: before that, the page may still prove
 * to be cut off.
 *
 * @param pieces text, or bytes in UTF-8 that may be split inside a character
 * @throws {MetricsError} `EXPOSITION_INVALID` with line and column, `EXPOSITION_TOO_LARGE`
 */
export async function* streamExposition(
  pieces: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>,
  options: ExpositionStreamOptions = {},
): AsyncGenerator<MetricSample[], void, undefined> {
  const { format = "classic", ...limits } = options;
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let batch: MetricSample[] = [];
  const parser = new ExpositionParser((sample) => batch.push(sample), format, limits);
  for await (const piece of pieces) {
    parser.push(typeof piece === "string" ? piece : decode(decoder, piece));
    if (batch.length > 0) yield batch;
    batch = [];
  }
  parser.push(decode(decoder, undefined));
  parser.end();
  if (batch.length > 0) yield batch;
}

function decode(decoder: TextDecoder, piece: Uint8Array | undefined): string {
  try {
    return piece === undefined ? decoder.decode() : decoder.decode(piece, { stream: true });
  } catch (error) {
    throw new MetricsError("EXPOSITION_INVALID", "the metrics page is not UTF-8", { cause: error });
  }
}
