import { Counter, type Registry } from "prom-client";
import type { SpecDecodeCounts } from "../normal/acceptance.ts";

/** Names and labels of the published series. */
export interface PublishOptions {
  /** Before every metric name. Default: `vllm:`, the schema that dashboards and clients know. */
  readonly prefix?: string;
  /** Labels of every series, for example `{ model_name: "demo", engine: "0" }`. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** Counts that are complete: a server that publishes them knows its verify steps and every draft position. */
export interface PublishedSpecDecodeCounts extends SpecDecodeCounts {
  readonly verifySteps: number;
  /** All K positions from the start, so that each series exists at 0 before it first counts. */
  readonly acceptedPerPosition: readonly number[];
}

/**
 * Publishes the speculative-decoding counters of vLLM's schema:
 *
 * - `spec_decode_num_drafts_total` (V);
 * - `spec_decode_num_draft_tokens_total` (D);
 * - `spec_decode_num_accepted_tokens_total` (A, bonus token excluded);
 * - `spec_decode_num_accepted_tokens_per_pos_total{position}` (A_i).
 *
 * The values are read from `source` when the registry is scraped, once for all metrics of a scrape, so they are exactly the
 * source's own and belong together.
 *
 * @param source counts since the start of the process; they must never go down
 * @throws {Error} from prom-client, when the registry already has metrics of these names
 */
export function registerSpecDecodeMetrics(
  registry: Registry,
  source: () => PublishedSpecDecodeCounts,
  options: PublishOptions = {},
): void {
  const { prefix = "vllm:", labels = {} } = options;
  const labelNames = Object.keys(labels);
  const read = oncePerScrape(source);
  const define = (name: string, help: string, value: (counts: PublishedSpecDecodeCounts) => number): void => {
    const counter: Counter = new Counter({
      name: `${prefix}${name}`,
      help,
      labelNames,
      registers: [registry],
      collect: () => {
        counter.reset();
        counter.inc(labels, value(read()));
      },
    });
  };
  define("spec_decode_num_drafts_total", "Number of spec decoding drafts.", (counts) => counts.verifySteps);
  define("spec_decode_num_draft_tokens_total", "Number of draft tokens.", (counts) => counts.draftTokens);
  define(
    "spec_decode_num_accepted_tokens_total",
    "Number of accepted tokens.",
    (counts) => counts.acceptedTokens,
  );

  const perPosition = new Counter({
    name: `${prefix}spec_decode_num_accepted_tokens_per_pos_total`,
    help: "Accepted tokens per draft position.",
    labelNames: [...labelNames, "position"],
    registers: [registry],
    collect: () => {
      perPosition.reset();
      for (const [position, accepted] of read().acceptedPerPosition.entries()) {
        perPosition.inc({ ...labels, position: String(position) }, accepted);
      }
    },
  });
}

/** A scrape collects all metrics in one turn of the event loop; they share one reading. */
function oncePerScrape(source: () => PublishedSpecDecodeCounts): () => PublishedSpecDecodeCounts {
  let current: PublishedSpecDecodeCounts | null = null;
  return () => {
    if (current === null) {
      current = source();
      queueMicrotask(() => {
        current = null;
      });
    }
    return current;
  };
}
