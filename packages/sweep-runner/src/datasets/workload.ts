import { createHash, randomBytes } from "node:crypto";
import { basename } from "node:path";
import type { BenchConfig } from "@onpar/bench-config";
import type { DeclaredRows } from "./dataset-rows.ts";
import { readDataset, type Dataset, type PromptRow } from "./dataset.ts";
import { RunError } from "../errors.ts";
import type { RunObserver } from "../events.ts";
import { makePrompts, type MadePrompt } from "./generated-workload.ts";
import type { WorkloadPrompt } from "../prompt.ts";
import type { Finding } from "../result.ts";
import { createRng, shuffled } from "../rng.ts";
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

/**
 * Reads or generates the prompts.
 *
 * @throws {RunError} `DATASET_INVALID` for a broken row and for a dataset with fewer rows than `numPrompts`, unless rows
 * may be taken again: that measures the server's prefix cache
 */
export async function buildWorkload(
  config: BenchConfig,
  counter: TokenCounter | null,
  signal?: AbortSignal,
  observer?: RunObserver,
): Promise<Workload> {
  const { datasetPath, numPrompts, warmupRequests } = config;
  const options = { config, counter, signal, observer };
  if (datasetPath === null) {
    const made = await makePrompts(options, numPrompts + warmupRequests);
    const own = made.slice(0, numPrompts);
    const measured = own.map(({ prompt }) => prompt);
    return {
      measured,
      warmup: made.slice(numPrompts).map(({ prompt }) => prompt),
      source: "generated",
      // Texts with a nonce are others in every run: what stays is how they are made.
      sha256: config.cache.policy === "nonce" ? hashOfPlan(config, own) : hashOf(measured),
      findings: [...lengthFindings(own, counter), ...repeatFindings(measured)],
    };
  }

  const { shuffle, oversample } = config.dataset;
  const wanted = numPrompts + warmupRequests;
  const dataset = await readDataset(datasetPath, shuffle ? Infinity : wanted, declaredRows(config));
  if (!oversample || dataset.rows.length === 0) requireRows(dataset, datasetPath, numPrompts);
  const rows = shuffle ? shuffled(dataset.rows, createRng(config.seed, SHUFFLE_STREAM)) : dataset.rows;
  const plain = Array.from({ length: numPrompts }, (_, index) => {
    const row = rows[index % rows.length];
    const round = Math.floor(index / rows.length);
    if (row === undefined) throw new RangeError(`no row ${index}`);
    const prompt = promptOf(row, index);
    return round === 0 ? prompt : { ...prompt, id: `${prompt.id}-again-${round}` };
  });
  const known = new Set(plain.map(contentOf));
  const spare = rows
    .slice(numPrompts, wanted)
    .map((row, index) => promptOf(row, numPrompts + index))
    .filter((prompt) => !known.has(contentOf(prompt)));
  const first = plain[0];
  const typicalWords = first?.kind === "text" ? first.text.split(/\s+/).length : 64;
  const generated = await makePrompts(
    { ...options, config: warmupConfig(config, Math.min(typicalWords, config.inputLen)), counter: null },
    warmupRequests - spare.length,
  );
  const measured = config.cache.policy === "nonce" ? withNonces(plain) : plain;
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
    warmup: [...spare, ...generated.map(({ prompt }) => prompt)],
    source: basename(datasetPath),
    sha256: hashOf(plain),
    findings,
  };
}

/** Draws of the order share nothing with those of anything else. */
const SHUFFLE_STREAM = 0x73687566;

/** Warm-up prompts of a file that has too few rows: plain text about as long as its first row. */
function warmupConfig(config: BenchConfig, inputLen: number): BenchConfig {
  const { kind, rangeRatio, sharedPrefixLen } = {
    kind: "random-text" as const,
    rangeRatio: 0,
    sharedPrefixLen: 0,
  };
  return { ...config, inputLen, dataset: { ...config.dataset, kind, rangeRatio, sharedPrefixLen } };
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

function lengthFindings(made: readonly MadePrompt[], counter: TokenCounter | null): Finding[] {
  if (counter === null) {
    const [least, most] = rangeOf(made.map(({ wanted }) => wanted));
    const message = `prompts are about ${least === most ? least : `${least} to ${most}`} tokens long: the server offers no /tokenize, so their length could not be fitted`;
    return [{ severity: "warning", code: "input-length-unfitted", message }];
  }
  const off = made.filter(({ counted, wanted, tolerance }) => Math.abs((counted ?? 0) - wanted) > tolerance);
  if (off.length === 0) return [];
  const [least, most] = rangeOf(off.map(({ counted }) => counted ?? 0));
  const [from, to] = rangeOf(off.map(({ wanted }) => wanted));
  const message =
    `${off.length} of ${made.length} prompts could not be fitted to ${from === to ? from : `${from} to ${to}`} tokens: ` +
    `they have ${least} to ${most}`;
  return [{ severity: "warning", code: "input-length-missed", message }];
}

function rangeOf(values: readonly number[]): [least: number, most: number] {
  return [
    values.reduce((a, b) => Math.min(a, b), Infinity),
    values.reduce((a, b) => Math.max(a, b), -Infinity),
  ];
}

/** Each prompt begins with a text that no cache has seen. */
function withNonces(prompts: readonly WorkloadPrompt[]): WorkloadPrompt[] {
  const run = randomBytes(4).toString("hex");
  return prompts.map((prompt, index) => {
    const nonce = `[run ${run}-${index}]\n`;
    if (prompt.kind === "text") return { ...prompt, text: nonce + prompt.text, tokens: null };
    const [first, ...rest] = prompt.conversation.messages;
    // Before the first message whatever its role: whatever is cached begins there.
    const content = first?.content;
    if (first === undefined || typeof content !== "string") {
      throw new RunError(
        "DATASET_INVALID",
        `prompt ${prompt.id} begins with a message that is no plain text, so that no nonce can be put before it; use --cache-policy reset`,
      );
    }
    const messages = [{ ...first, content: nonce + content }, ...rest];
    return { ...prompt, conversation: { ...prompt.conversation, messages } };
  });
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

function hashOfPlan({ dataset, seed }: BenchConfig, made: readonly MadePrompt[]): string {
  const plan = { dataset, seed, nonce: true, lengths: made.map(({ wanted }) => wanted) };
  return createHash("sha256").update(JSON.stringify(plan)).digest("hex");
}

function contentOf(prompt: WorkloadPrompt): string {
  return JSON.stringify(prompt.kind === "text" ? prompt.text : prompt.conversation);
}

/** Kinds of generated prompts need no file; other kinds of files are refused before a run. */
function declaredRows({ dataset }: BenchConfig): DeclaredRows {
  return dataset.kind === "prompts" || dataset.kind === "sharegpt" || dataset.kind === "openai-batch"
    ? dataset.kind
    : "auto";
}
