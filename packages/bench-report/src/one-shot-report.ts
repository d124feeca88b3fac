import type { Acceptance } from "@onpar/metrics-client";
import type { RequestRecord } from "@onpar/sweep-runner";

import { formatNumber } from "./format.ts";
import { createPage, type RenderOptions } from "./paint.ts";
import { acceptanceFields, positionBars } from "./sections/acceptance.ts";
import { fields } from "./text.ts";

/** One request, its figures computed from its record by the caller. */
export interface OneShot {
  readonly record: RequestRecord;
  readonly ttftMs: number | null;
  readonly e2elMs: number | null;
  /** n / (stream end - first token), tokens/s. */
  readonly decodeCtxsweep: number | null;
  readonly acceptance: Acceptance | null;
  /** Why there is no acceptance, in words; null when there is. */
  readonly acceptanceMissing: string | null;
}

/** A block about one request: tokens, how it ended, time to first token, decode rate, acceptance. */
export function renderOneShotReport(oneShot: OneShot, options: RenderOptions): string {
  const page = createPage(options);
  const { record, acceptance, acceptanceMissing, ttftMs, e2elMs, decodeCtxsweep } = oneShot;
  const { usage, finish, outputTokens, tokenSource } = record;
  const prompt = usage?.promptTokens ?? null;
  const cached = usage?.cachedPromptTokens ?? null;
  const ended =
    finish.raw === null || finish.raw === finish.reason
      ? finish.reason
      : `${finish.reason} (sent as ${finish.raw})`;
  const length = outputTokens === null ? "of unknown length" : `over ${outputTokens} output tokens`;
  const lines = fields(
    [
      [
        "tokens",
        `prompt ${prompt ?? "unknown"}${cached === null ? "" : ` (${cached} from cache)`}, output ${outputTokens ?? "unknown"} (counted by ${tokenSource})`,
      ],
      ["ended by", ended],
      ["TTFT", ttftMs === null ? "unknown" : `${formatNumber(ttftMs)} ms`],
      ["E2EL", e2elMs === null ? "unknown" : `${formatNumber(e2elMs)} ms`],
      [
        "decode rate",
        decodeCtxsweep === null ? "unknown" : `${formatNumber(decodeCtxsweep)} tok/s (ctxsweep, ${length})`,
      ],
      ...(acceptance === null
        ? ([["acceptance", `unknown: ${acceptanceMissing ?? "no reason was recorded"}`]] as const)
        : acceptanceFields(acceptance)),
    ],
    page.width,
  );
  const bars = acceptance === null ? [] : positionBars(acceptance, page);
  return `${[...lines, ...bars].join("\n")}\n`;
}
