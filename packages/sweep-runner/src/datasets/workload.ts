import { createHash } from "node:crypto";
import { basename } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { BenchConfig } from "@onpar/bench-config";
import type { DeclaredRows } from "./dataset-rows.ts";
import { readDataset, type Dataset, type PromptRow } from "./dataset.ts";
import { RunError } from "../errors.ts";
import { preparingCounter, type RunObserver } from "../events.ts";
import { generatePrompt } from "./generated-prompts.ts";
import type { WorkloadPrompt } from "../prompt.ts";
import type { Finding } from "../result.ts";
import type { TokenCounter } from "../token-counter.ts";

/** The prompts of a run. */
export interface Workload {
  readonly measured: readonly WorkloadPrompt[];
  /** Other prompts than the measured ones. */
  readonly warmup: readonly WorkloadPrompt[];
  /** File name or `generated`. */
  readonly source: string;
  /** sha256 (hex) over the measured prompts in order, one JSON line each. */
  readonly sha256: string;
  readonly findings: readonly Finding[];
}

/** Prompts made between two looks at anything else, so that an interrupt and a drawn progress are not kept waiting. */
const PROMPTS_PER_TURN = 64;

/** Tokenize requests in flight while prompts are fitted to their length. */
const FITTING_CONCURRENCY = 4;

/**
 * Reads or generates the prompts.
 *
 * @throws {RunError} `DATASET_INVALID` for a broken row and for a dataset with fewer rows than `numPrompts`: taking rows
 * twice would measure the server's prefix cache
 */
export async function buildWorkload(
  config: BenchConfig,
  counter: TokenCounter | null,
  signal?: AbortSignal,
  observer?: RunObserver,
): Promise<Workload> {
  const { datasetPath, numPrompts, warmupRequests } = config;
  if (datasetPath === null) {
    const prompts = await generate(
      config,
      { first: 0, count: numPrompts + warmupRequests, tokens: config.inputLen },
      counter,
      signal,
      observer,
    );
    const measured = prompts.slice(0, numPrompts);
    const findings = [...lengthFindings(measured, config.inputLen, counter), ...repeatFindings(measured)];
    return {
      measured,
      warmup: prompts.slice(numPrompts),
      source: "generated",
      sha256: hashOf(measured),
      findings,
    };
  }

  const dataset = await readDataset(datasetPath, numPrompts + warmupRequests, declaredRows(config));
  requireRows(dataset, datasetPath, numPrompts);
  const measured = dataset.rows.slice(0, numPrompts).map((row, index) => promptOf(row, index));
  const known = new Set(measured.map(contentOf));
  const spare = dataset.rows
    .slice(numPrompts)
    .map((row, index) => promptOf(row, numPrompts + index))
    .filter((prompt) => !known.has(contentOf(prompt)));
  const first = measured[0];
  const typicalWords = first?.kind === "text" ? first.text.split(/\s+/).length : 64;
  const generated = await generate(
    config,
    { first: 0, count: warmupRequests - spare.length, tokens: Math.min(typicalWords, config.inputLen) },
    null,
    signal,
    observer,
  );
  const findings = repeatFindings(measured);
  if (dataset.skipped > 0) {
    findings.push({
      severity: "note",
      code: "dataset-rows-skipped",
      message: `${dataset.skipped} conversations of ${basename(datasetPath)} were left out: no person speaks in them`,
    });
  }
  return {
    measured,
    warmup: [...spare, ...generated],
    source: basename(datasetPath),
    sha256: hashOf(measured),
    findings,
  };
}

function requireRows(dataset: Dataset, path: string, wanted: number): void {
  const rows = dataset.rows.length;
  if (rows >= wanted) return;
  const what =
    rows === 0
      ? "holds no prompts"
      : `holds ${rows} prompts, ${wanted} are asked for; lower --num-prompts to ${rows}`;
  throw new RunError("DATASET_INVALID", `${path} ${what}`);
}

function promptOf(row: PromptRow, index: number): WorkloadPrompt {
  const id = row.id ?? `row-${index}`;
  return row.kind === "text"
    ? { id, kind: "text", text: row.text, tokens: null }
    : { id, kind: "conversation", conversation: row.conversation };
}

async function generate(
  config: BenchConfig,
  { first, count, tokens }: { readonly first: number; readonly count: number; readonly tokens: number },
  counter: TokenCounter | null,
  signal?: AbortSignal,
  observer?: RunObserver,
): Promise<WorkloadPrompt[]> {
  const prompts: WorkloadPrompt[] = Array.from({ length: Math.max(0, count) });
  const made = preparingCounter(observer, "prompts", prompts.length);
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < prompts.length) {
      signal?.throwIfAborted();
      const slot = next++;
      if (slot % PROMPTS_PER_TURN === PROMPTS_PER_TURN - 1) await setImmediate();
      const index = first + slot;
      const prompt = await generatePrompt({ seed: config.seed, index, tokens }, counter, signal);
      prompts[slot] = { id: `generated-${index}`, kind: "text", ...prompt };
      made();
    }
  };
  await Promise.all(Array.from({ length: Math.min(FITTING_CONCURRENCY, prompts.length) }, worker));
  return prompts;
}

function lengthFindings(
  prompts: readonly WorkloadPrompt[],
  wanted: number,
  counter: TokenCounter | null,
): Finding[] {
  if (counter === null) {
    const message = `prompts are about ${wanted} tokens long: the server offers no /tokenize, so their length could not be fitted`;
    return [{ severity: "warning", code: "input-length-unfitted", message }];
  }
  const off = prompts.filter((prompt) => prompt.kind === "text" && prompt.tokens !== wanted);
  if (off.length === 0) return [];
  const lengths = off.map((prompt) => (prompt.kind === "text" ? (prompt.tokens ?? 0) : 0));
  const message =
    `${off.length} of ${prompts.length} prompts could not be fitted to ${wanted} tokens: ` +
    `they have ${lengths.reduce((a, b) => Math.min(a, b))} to ${lengths.reduce((a, b) => Math.max(a, b))}`;
  return [{ severity: "warning", code: "input-length-missed", message }];
}

function repeatFindings(prompts: readonly WorkloadPrompt[]): Finding[] {
  const distinct = new Set(prompts.map(contentOf)).size;
  if (distinct === prompts.length) return [];
  const message =
    `only ${distinct} of ${prompts.length} prompts are distinct: ` +
    "a server with a prefix cache answers the others without their prefill";
  return [{ severity: "warning", code: "prompts-repeat", message }];
}

function hashOf(prompts: readonly WorkloadPrompt[]): string {
  const hash = createHash("sha256");
  for (const prompt of prompts) hash.update(contentOf(prompt)).update("\n");
  return hash.digest("hex");
}

function contentOf(prompt: WorkloadPrompt): string {
  return JSON.stringify(prompt.kind === "text" ? prompt.text : prompt.conversation);
}

/** Kinds of generated prompts need no file; other kinds of files are refused before a run. */
function declaredRows({ dataset }: BenchConfig): DeclaredRows {
  return dataset.kind === "prompts" || dataset.kind === "sharegpt" ? dataset.kind : "auto";
}
