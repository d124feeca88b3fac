import { axisInWords, type AxisName, type PartialProtocol } from "@onpar/bench-config";

import type { Result } from "./schema.ts";

/** Axes that a reader is told, in order. */
export const TOLD_AXES: readonly AxisName[] = [
  "stopping rule",
  "model",
  "weights",
  "tokenizer",
  "endpoint",
  "template",
  "template kwargs",
  "sampling",
  "workload",
  "output length",
  "load",
  "cache state",
  "speculation",
  "repetition",
  "counting",
  "engine",
  "hardware",
];

/** Each axis of a protocol in words, `unknown` where it is. */
export function axisPairs(protocol: PartialProtocol): [string, string][] {
  return TOLD_AXES.map((axis) => [axis, axisInWords(axis, protocol)]);
}

/** How many requests ended well over all points, for the first line of a report. */
export function countsLine({ points, interrupted }: Result): string {
  const sum = (name: "asked" | "ok" | "failed"): number | null => {
    const values = points.map(({ counts }) => counts[name]);
    return values.includes(null) ? null : values.reduce<number>((total, value) => total + (value ?? 0), 0);
  };
  const said = (["asked", "ok", "failed"] as const).map((name) => `${sum(name) ?? "unknown"} ${name}`);
  if (said.every((part) => part.startsWith("unknown"))) {
    return `${points.length} ${points.length === 1 ? "point" : "points"}; how many requests were asked, ok and failed is unknown`;
  }
  const where = points.length === 1 ? "" : ` over ${points.length} points`;
  return `${said.join(", ")}${where}${interrupted === true ? "; interrupted" : ""}`;
}

/** Where a result comes from, in a sentence. */
export function sourceLine({ source, startedAt }: Result): string {
  const tool = [source.tool ?? "unknown tool", source.version].filter((part) => part !== null).join(" ");
  return `${tool}, read from ${source.format}${startedAt === null ? "" : `, started ${startedAt}`}`;
}
