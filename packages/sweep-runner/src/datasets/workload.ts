import { createHash, randomBytes } from "node:crypto";
import { basename } from "node:path";
import type { BenchConfig } from "@onpar/bench-config";
import type { DeclaredRows, RowReading } from "./dataset-rows.ts";
import { readDataset, type Dataset } from "./dataset.ts";
import { RunError } from "../errors.ts";
import type { RunObserver } from "../events.ts";
import { makePrompts, primingRequests, type MadePrompt } from "./generated-workload.ts";
import type { WorkloadPrompt } from "../prompt.ts";
import { inOrderOfTime, playedTurns, promptsOf, takeRows, type TakenRow } from "./row-prompts.ts";
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
    const made = await makePrompts(options, numPrompts + warmupRequests + primingRequests(config));
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

  const dataset = await readDataset(datasetPath, rowsWanted(config), rowReading(config));
  const { rows, spareRows } = chooseRows(config, dataset, datasetPath);
  const { prompts: plain, made } = await promptsOf(options, rows);
  requireProportion(plain, datasetPath);
  const known = new Set(plain.map(contentOf));
  const spare = (await promptsOf(options, spareRows)).prompts.filter(
    (prompt) => !known.has(contentOf(prompt)),
  );
  const generated = await makePrompts(
    { ...options, config: warmupConfig(config, warmupLength(plain[0], config.inputLen)), counter: null },
    warmupRequests - spare.length,
  );
  const isNonce = config.cache.policy === "nonce";
  // Texts that were made of a seed of their own need no nonce.
  const measured = isNonce && made.length === 0 ? withNonces(plain) : plain;
  const findings = [
    ...(made.length === 0 ? [] : lengthFindings(made, counter)),
    ...repeatFindings(measured),
    ...skippedFindings(dataset, datasetPath),
    ...capFindings(measured),
  ];
  return {
    measured,
    warmup: [...spare, ...generated.map(({ prompt }) => prompt)],
    source: basename(datasetPath),
    sha256: isNonce && made.length > 0 ? hashOfPlan(config, made) : hashOf(plain),
    findings,
  };
}

/** Whether texts are made for a length, or capped at one, so that a tokenizer is needed. */
export function needsTokenizer({ datasetPath, dataset, load }: BenchConfig): boolean {
  return datasetPath === null || dataset.kind === "trace" || load.kind === "trace" || dataset.recordedLengths;
}

/** Rows that are read. A trace and conversations are warmed up with other texts than their own. */
function rowsWanted(config: BenchConfig): number {
  if (config.dataset.shuffle) return Infinity;
  return config.numPrompts + (sparesRows(config) ? config.warmupRequests : 0);
}

function sparesRows(config: BenchConfig): boolean {
  return declaredRows(config) !== "trace" && playedTurns(config) === 1;
}

function rowReading(config: BenchConfig): RowReading {
  return {
    declared: declaredRows(config),
    turns: playedTurns(config),
    live: config.dataset.history === "live",
    answers: config.dataset.recordedLengths,
  };
}

function chooseRows(
  config: BenchConfig,
  dataset: Dataset,
  path: string,
): { rows: readonly TakenRow[]; spareRows: readonly TakenRow[] } {
  const { numPrompts, seed, load } = config;
  const { shuffle, oversample } = config.dataset;
  if (!oversample || dataset.rows.length === 0) requireRows(dataset, path, numPrompts);
  if (load.kind === "trace") {
    return { rows: takeRows(inOrderOfTime(dataset.rows, numPrompts, path), 0, numPrompts), spareRows: [] };
  }
  const rows = shuffle ? shuffled(dataset.rows, createRng(seed, SHUFFLE_STREAM)) : dataset.rows;
  const spares = sparesRows(config) ? Math.min(rows.length, numPrompts + config.warmupRequests) : numPrompts;
  return {
    rows: takeRows(rows, 0, numPrompts),
    spareRows: takeRows(rows, numPrompts, Math.max(numPrompts, spares)),
  };
}

/** Each turn of a conversation holds all those before it: bodies that are built ahead would fill the memory. */
function requireProportion(prompts: readonly WorkloadPrompt[], path: string): void {
  let characters = 0;
  for (const prompt of prompts) {
    if (prompt.turn !== undefined) characters += contentOf(prompt).length;
  }
  if (characters <= MOST_TURN_CHARACTERS) return;
  const message = `${path}: the turns of its conversations hold ${characters} characters, each all those before it: lower --turns or --num-prompts`;
  throw new RunError("DATASET_INVALID", message);
}

const MOST_TURN_CHARACTERS = 2 ** 30;

function warmupLength(first: WorkloadPrompt | undefined, inputLen: number): number {
  const typicalWords = first?.kind === "text" ? first.text.split(/\s+/).length : 64;
  return Math.min(typicalWords, inputLen);
}

/** The stopping rule tells one cap. */
function capFindings(prompts: readonly WorkloadPrompt[]): Finding[] {
  const caps = prompts.flatMap(({ outputTokens }) => outputTokens ?? []);
  if (caps.length === 0) return [];
  const [least, most] = rangeOf(caps);
  const message = `${caps.length} of ${prompts.length} requests have an output cap of their own, ${least} to ${most} tokens: the cap of the stopping rule is that of the others, or of the first`;
  return [{ severity: "note", code: "own-caps", message }];
}

function skippedFindings(dataset: Dataset, path: string): Finding[] {
  if (dataset.skipped === 0) return [];
  const message = `${dataset.skipped} conversations of ${basename(path)} were left out: no person speaks in them`;
  return [{ severity: "note", code: "dataset-rows-skipped", message }];
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
  let number = 0;
  return prompts.map((prompt, index) => {
    // Turns of one conversation begin alike, as they do where no nonce is.
    if (prompt.turn === undefined || prompt.turn.index === 0) number = index;
    const nonce = `[run ${run}-${number}]\n`;
    if (prompt.kind === "text") return { ...prompt, text: nonce + prompt.text, tokens: null };
    if (prompt.kind === "ids") return prompt;
    const [first, ...rest] = prompt.conversation.messages;
    // Before the first message whatever its role: whatever is cached begins there.
    const content = first?.content;
    if (first === undefined || typeof content !== "string") {
      throw new RunError(
        "DATASET_INVALID",
        `prompt ${prompt.id} begins with a message that is no plain text, so that no nonce can be put before it; use --cache reset`,
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
  for (const prompt of prompts) {
    hash.update(contentOf(prompt)).update(prompt.arrivalMs == null ? "\n" : ` @${prompt.arrivalMs}\n`);
  }
  return hash.digest("hex");
}

function hashOfPlan({ dataset, seed }: BenchConfig, made: readonly MadePrompt[]): string {
  const plan = { dataset, seed, nonce: true, lengths: made.map(({ wanted }) => wanted) };
  return createHash("sha256").update(JSON.stringify(plan)).digest("hex");
}

function contentOf(prompt: WorkloadPrompt): string {
  const content =
    prompt.kind === "text" ? prompt.text : prompt.kind === "ids" ? prompt.ids : prompt.conversation;
  return JSON.stringify(content) + (prompt.outputTokens == null ? "" : ` ${prompt.outputTokens}`);
}

/** Kinds of generated prompts need no file; other kinds of files are refused before a run. */
function declaredRows({ dataset, load }: BenchConfig): DeclaredRows {
  const { kind } = dataset;
  if (kind === "prompts" || kind === "sharegpt" || kind === "openai-batch" || kind === "multi-turn")
    return kind;
  return kind === "trace" || load.kind === "trace" ? "trace" : "auto";
}
