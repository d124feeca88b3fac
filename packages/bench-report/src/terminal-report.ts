import type { RunResult } from "@onpar/sweep-runner";

import { createPage, section, type RenderOptions } from "./paint.ts";
import { acceptanceLines } from "./sections/acceptance.ts";
import { cacheLines } from "./sections/cache.ts";
import { clientLines } from "./sections/client.ts";
import { latencyLines, rateLines } from "./sections/figures.ts";
import { findingLines } from "./sections/findings.ts";
import { headline } from "./sections/headline.ts";
import { originLines } from "./sections/origin.ts";
import { outputLines } from "./sections/outputs.ts";
import { protocolLines } from "./sections/protocol.ts";
import { goodputLines, spreadLines } from "./sections/spread.ts";

/**
 * A run as text for a terminal: failures first, then the protocol (asked for and resolved), how outputs ended,
 * latencies, rates, repetitions, service levels, acceptance, the prefix cache, how the client did, findings, and where it all came from. Ends with a newline. Control characters in
 * what the server said are taken out.
 */
export function renderTerminalReport(result: RunResult, options: RenderOptions): string {
  const page = createPage(options);
  return `${[
    ...headline(result, page),
    ...section("Protocol", protocolLines(result, page), page),
    ...section("Outputs", outputLines(result, page), page),
    ...section("Latency", latencyLines(result, page), page),
    ...section("Rates", rateLines(result, page), page),
    ...section("Repetitions", spreadLines(result, page), page),
    ...section("Service levels", goodputLines(result, page), page),
    ...section("Acceptance", acceptanceLines(result, page), page),
    ...section("Prefix cache", cacheLines(result, page), page),
    ...section("Client", clientLines(result, page), page),
    ...section("Findings", findingLines(result, page), page),
    ...section("Where this comes from", originLines(result, page), page),
  ].join("\n")}\n`;
}
