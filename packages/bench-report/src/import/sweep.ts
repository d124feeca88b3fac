import {
  benchConfigSchema,
  declaredProtocol,
  loadOf,
  type BenchConfig,
  type PartialProtocol,
} from "@onpar/bench-config";

import { z } from "zod";

import { describeHost } from "../axes.ts";
import { ReportError } from "../errors.ts";
import { figure, figures, ofValues, point, single, statistics } from "../result/make.ts";
import type { Figure, Point, Result } from "../result/schema.ts";
import {
  countAt,
  fieldsAt,
  imported,
  isFields,
  numberAt,
  numbersAt,
  parsePythonJson,
  scaled,
  textAt,
  type Fields,
  type Importer,
} from "./fields.ts";

/** Whether a text is the journal of a sweep of this program. */
export function isSweep(text: string): boolean {
  return /^\{"type":"sweep",.*"schema":"onpar\.sweep\/1"/.test(text.trimStart().split("\n", 1)[0] ?? "");
}

/**
 * The journal of `onpar sweep` (`sweep.jsonl`): one point per measurement that has ended. The protocol is what the sweep's
 * configuration states. A torn last line, left by a kill, is left out.
 */
export const importSweep: Importer = (text, name) => {
  const lines = text.trim().split("\n");
  const values = lines.flatMap((line, index): unknown[] => {
    if (line.trim() === "") return [];
    try {
      return [parsePythonJson(line, `${name}:${index + 1}`)];
    } catch (error) {
      if (index === lines.length - 1) return [];
      throw error;
    }
  });
  const [header] = values.filter(isFields);
  const config = benchConfigSchema.safeParse(header?.["config"]);
  if (header === undefined || !config.success) {
    throw new ReportError("IMPORT_INVALID", `${name}:1: the sweep does not hold its configuration`);
  }
  const steps = lastOfEach(values.filter(isFields).filter((line) => line["type"] === "step"));
  const rows = steps.filter((step) => fieldsAt(step, "row") !== null);
  return {
    ...imported({
      format: "onpar.sweep/1",
      tool: textAt(fieldsAt(header, "tool"), "name") ?? "onpar",
      version: textAt(fieldsAt(header, "tool"), "version"),
      name,
      startedAt: textAt(header, "startedAt"),
      protocol: statedProtocol(config.data, header, rows),
      points: rows.map((step) => pointOf(step, config.data)),
      notes: [
        "The protocol is what the sweep's configuration states; each point was audited when it was measured.",
      ],
    }),
    findings: steps.flatMap(findingsOf),
  };
};

/** What the configuration states, with who answered in the points and the machine that the client ran on. */
function statedProtocol(config: BenchConfig, header: Fields, steps: readonly Fields[]): PartialProtocol {
  const stated = declaredProtocol(config);
  const of = (name: string): string | null => {
    const told = new Set(steps.map((step) => textAt(fieldsAt(step, "row"), name)));
    return told.size === 1 ? ([...told][0] ?? null) : null;
  };
  const [model, engine] = [of("model"), of("engine")];
  const host = hostSchema.safeParse(header["host"]);
  return {
    ...stated,
    model: { ...stated.model, resolved: model },
    engine: engine === null ? (stated.engine ?? null) : { name: engine, version: of("engineVersion") },
    hardware: {
      device: config.declared.hardware,
      clientHost: host.success ? describeHost(host.data) : null,
    },
  };
}

const hostSchema = z.looseObject({
  node: z.string(),
  platform: z.string(),
  arch: z.string(),
  cpus: z.number(),
  cpuModel: z.string().nullable(),
  memoryBytes: z.number(),
});

/** A step that was measured again replaces what was there. */
function lastOfEach(steps: readonly Fields[]): Fields[] {
  return [...new Map(steps.map((step) => [step["id"], step])).values()];
}

function findingsOf(step: Fields): Result["findings"] {
  const id = textAt(step, "id") ?? "a step";
  const row = fieldsAt(step, "row");
  const codes = (name: string): string[] => {
    const value = row?.[name];
    return Array.isArray(value) ? value.filter((code) => typeof code === "string") : [];
  };
  const error = fieldsAt(step, "error");
  return [
    ...codes("breaches").map((code) => ({ severity: "breach" as const, code, message: id })),
    ...codes("warnings").map((code) => ({ severity: "warning" as const, code, message: id })),
    ...(error === null
      ? []
      : [
          {
            severity: "warning" as const,
            code: "point-failed",
            message: `${id}: ${textAt(error, "message") ?? "no reason was recorded"}`,
          },
        ]),
  ];
}

function pointOf(step: Fields, config: BenchConfig): Point {
  const row = fieldsAt(step, "row") ?? {};
  const kind = textAt(row, "kind");
  const swept = fieldsAt(step, "values");
  const load = loadOf(config);
  const outputs = numbersAt(row, "outputTokens");
  const lengths = fieldsAt(row, "outputTokens");
  const prompt = numberAt(row, "promptTokens");
  const budget = numberAt(swept, "engine.draftTokens", "speculation.draftTokens");
  const cold = single(scaled(numberAt(row, "coldTtftS"), 1000));
  return point({
    label: textAt(step, "id"),
    date: textAt(step, "startedAt"),
    at: {
      contextTokens: numberAt(row, "contextTarget") ?? numberAt(swept, "inputLen"),
      concurrency: numberAt(row, "streams") ?? numberAt(swept, "concurrency") ?? load.concurrency,
      ratePerS: numberAt(swept, "load.rate") ?? load.rate ?? null,
      temperature:
        numberAt(row, "temperature") ??
        numberAt(swept, "sampling.temperature") ??
        config.sampling.temperature,
      profile: otherValues(swept),
      boot: countAt(step, "boot"),
    },
    protocol: protocolOf(swept, prompt, config),
    counts: {
      asked: countAt(row, "asked") ?? sum(countAt(row, "ok"), countAt(row, "failed")),
      ok: countAt(row, "ok"),
      failed: countAt(row, "failed"),
      dropped: countAt(row, "dropped"),
    },
    durationS: numberAt(step, "durationS"),
    reps: countAt(row, "reps"),
    promptTokens: prompt === null ? null : figure({ value: prompt, min: prompt, p50: prompt, max: prompt }),
    outputTokens:
      outputs === null
        ? statistics({
            min: numberAt(lengths, "min"),
            p50: numberAt(lengths, "p50"),
            max: numberAt(lengths, "max"),
          })
        : ofValues(outputs),
    totalOutputTokens: countAt(row, "outputTokensTotal"),
    cachedPromptTokens: countAt(row, "cachedPromptTokens"),
    reachedCap: countAt(row, "reachedCap"),
    finishReasons: tallyOf(fieldsAt(row, "finishReasons")),
    acceptance:
      numberAt(row, "acceptedPerPass") === null
        ? null
        : {
            verifySteps: null,
            draftTokens: null,
            acceptedTokens: null,
            draftBudget: budget,
            perPositionRate: positionsOf(row),
            effectiveTokensPerStep: numberAt(row, "effectiveTokensPerStep"),
            source: textAt(row, "source"),
          },
    figures: figures({
      ...(kind === "context" || kind === "fixed-output"
        ? {
            coldTtftMs: cold,
            warmTtftMs: single(scaled(numberAt(row, "warmTtftS"), 1000)),
            prefill: single(numberAt(row, "prefillTokensPerS")),
            prefillBytesPerS: single(numberAt(row, "prefillBytesPerS")),
          }
        : {
            ttftMs: medianOf(
              scaled(numberAt(row, "ttftMedianS"), 1000) ?? numberAt(row, "ttftP50Ms"),
              row,
              "ttftP99Ms",
            ),
            tpotMs: medianOf(numberAt(row, "tpotP50Ms"), row, "tpotP99Ms"),
            e2elMs: medianOf(numberAt(row, "e2elP50Ms"), row, "e2elP99Ms"),
          }),
      decodeCtxsweep: medianOf(numberAt(row, "decodeTokensPerS", "perStreamTokensPerS"), row, null),
      decodeBytesPerS: medianOf(numberAt(row, "decodeBytesPerS"), row, null),
      outputTokensPerS: aggregateOf(row),
      requestsPerS: single(numberAt(row, "requestsPerS"), "whole run"),
      acceptanceLength: single(numberAt(row, "acceptedPerPass"), "whole run"),
      acceptanceRate: single(numberAt(row, "acceptanceRate"), "whole run"),
      saturation: single(numberAt(row, "saturation"), "whole run"),
    }),
  });
}

const PLACED = new Set(["inputLen", "concurrency", "numPrompts", "load.rate", "sampling.temperature"]);

/** Swept settings that have no place of their own: `engine.draftTokens 5`. */
function otherValues(swept: Fields | null): string | null {
  const parts = Object.entries(swept ?? {}).flatMap(([field, value]) =>
    PLACED.has(field) ? [] : [`${field} ${String(value)}`],
  );
  return parts.length === 0 ? null : parts.join(", ");
}

function protocolOf(
  swept: Fields | null,
  prompt: number | null,
  config: BenchConfig,
): PartialProtocol | null {
  const { workload, load, speculation } = declaredProtocol(config);
  const concurrency = numberAt(swept, "concurrency");
  const budget = numberAt(swept, "engine.draftTokens", "speculation.draftTokens");
  return {
    workload: {
      ...workload,
      promptTokens:
        prompt === null ? (workload?.promptTokens ?? null) : { min: prompt, p50: prompt, max: prompt },
    },
    load: concurrency === null ? (load ?? null) : { ...load, concurrency },
    ...(budget === null ? {} : { speculation: { ...speculation, draftBudget: budget } }),
  };
}

function medianOf(value: number | null, row: Fields, p99: string | null): Figure | null {
  return value === null ? null : statistics({ p50: value, p99: p99 === null ? null : numberAt(row, p99) });
}

function aggregateOf(row: Fields): Figure | null {
  const whole = single(numberAt(row, "aggregateTokensPerS", "outputTokensPerS"), "whole run");
  const repetitions = numbersAt(row, "aggregates");
  return whole === null || repetitions === null ? whole : { ...whole, repetitions };
}

function positionsOf(row: Fields): number[] | null {
  const shares = numbersAt(row, "perPosition");
  return shares === null || shares.includes(null) ? null : shares.filter((share) => share !== null);
}

function tallyOf(of: Fields | null): Record<string, number> | null {
  if (of === null) return null;
  return Object.fromEntries(
    Object.entries(of).flatMap(([key, value]) => (typeof value === "number" ? [[key, value] as const] : [])),
  );
}

function sum(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}
