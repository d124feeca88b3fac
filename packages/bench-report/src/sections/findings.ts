import type { Finding, RunResult } from "@onpar/sweep-runner";

import type { Page } from "../paint.ts";
import { hanging } from "../text.ts";

const ORDER: readonly Finding["severity"][] = ["breach", "warning", "note"];

/** What was asked and not seen, breaches first. */
export function findingLines(result: RunResult, page: Page): string[] {
  const { paint } = page;
  const tones = { breach: paint.bad, warning: paint.warn, note: paint.quiet };
  const lines = ORDER.flatMap((severity) =>
    result.findings
      .filter((finding) => finding.severity === severity)
      .flatMap(({ code, message }) => {
        const [first = "", ...rest] = hanging(
          "  ",
          `${severity.toUpperCase()} ${code}: ${message}`,
          // Its further lines stand two columns further in.
          page.width - 2,
        );
        return [tones[severity](first), ...rest.map((line) => `  ${line}`).map(tones[severity])];
      }),
  );
  return lines.length === 0 ? ["  none"] : lines;
}
