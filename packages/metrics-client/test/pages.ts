import { readFileSync } from "node:fs";
import { parseMetricsPage } from "../src/exposition/page.ts";
import type { MetricsSnapshot } from "../src/scrape/snapshot.ts";

/** A page of `test/fixtures`, written for this package. */
export function fixture(name: string): string {
  return readFileSync(new URL(`fixtures/${name}`, import.meta.url), "utf8");
}

/** A snapshot from text, as a scrape would give it. */
export function snapshot(text: string, overrides: Partial<MetricsSnapshot> = {}): MetricsSnapshot {
  return {
    ...parseMetricsPage(text),
    url: "http://127.0.0.1:8000/metrics",
    takenAt: "2026-01-01T00:00:00.000Z",
    startToken: null,
    ...overrides,
  };
}

/** Exposition text of counters, `[name with labels, value]`; each name gets a TYPE line before its first series. */
export function counters(...series: readonly (readonly [string, number])[]): string {
  const announced = new Set<string>();
  let text = "";
  for (const [name, value] of series) {
    const family = name.replace(/\{.*$/, "");
    if (!announced.has(family)) text += `# TYPE ${family} counter\n`;
    announced.add(family);
    text += `${name} ${value}\n`;
  }
  return text;
}

/** Exposition text of the speculative-decoding counters of one engine. */
export function specPage(verifySteps: number, draftTokens: number, perPosition: readonly number[]): string {
  return counters(
    ["vllm:spec_decode_num_drafts_total", verifySteps],
    ["vllm:spec_decode_num_draft_tokens_total", draftTokens],
    ["vllm:spec_decode_num_accepted_tokens_total", perPosition.reduce((sum, accepted) => sum + accepted, 0)],
    ...perPosition.map(
      (accepted, position) =>
        [`vllm:spec_decode_num_accepted_tokens_per_pos_total{position="${position}"}`, accepted] as const,
    ),
  );
}
