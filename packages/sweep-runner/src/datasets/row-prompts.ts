import type { BenchConfig } from "@onpar/bench-config";
import { RunError } from "../errors.ts";
import type { PromptPlan, WorkloadPrompt } from "../prompt.ts";
import type { PromptRow } from "./dataset.ts";
import { makeAll, seedOf, type MadePrompt, type MakingOptions } from "./generated-workload.ts";
import { recordedCaps } from "./recorded-caps.ts";
import { traceMaker, type TracedRequest } from "./trace-prompts.ts";
import { turnId, type Turn } from "./turn-rows.ts";

/** A row that is sent, and how often it was before. */
export interface TakenRow {
  readonly row: PromptRow;
  readonly id: string;
}

/** Prompts of rows: a conversation whose turns are played is several. */
export interface RowPrompts {
  readonly prompts: readonly WorkloadPrompt[];
  /** Those whose text was made for a length. */
  readonly made: readonly MadePrompt[];
}

/** Rows by their place, each with a name of its own also where rows are taken again. */
export function takeRows(rows: readonly PromptRow[], from: number, to: number): TakenRow[] {
  return Array.from({ length: to - from }, (_, offset) => {
    const index = from + offset;
    const place = index % rows.length;
    const row = rows[place];
    if (row === undefined) throw new RangeError(`no row ${index}`);
    const id = row.id ?? `row-${place}`;
    const round = Math.floor(index / rows.length);
    return { row, id: round === 0 ? id : `${id}-again-${round}` };
  });
}

/** The first `count` rows of a trace in the order of their times. @throws {RunError} `DATASET_INVALID` for a row without */
export function inOrderOfTime(rows: readonly PromptRow[], count: number, path: string): PromptRow[] {
  const taken = rows.slice(0, count);
  const untimed = taken.findIndex(({ arrivalMs }) => arrivalMs === undefined);
  if (untimed >= 0) {
    const message = `${path}: row ${untimed + 1} has no "timestamp", and --load trace sends when the trace says`;
    throw new RunError("DATASET_INVALID", message);
  }
  return taken.sort((a, b) => (a.arrivalMs ?? 0) - (b.arrivalMs ?? 0));
}

/** @throws {RunError} `DATASET_INVALID` for a trace of more tokens than can be made */
export async function promptsOf(options: MakingOptions, rows: readonly TakenRow[]): Promise<RowPrompts> {
  const traced = rows.flatMap(({ row, id }) => (row.kind === "lengths" ? [{ ...row, id }] : []));
  const made = await makeTexts(options, traced);
  const texts = new Map(made.map(({ prompt }) => [prompt.id, prompt]));
  const caps = await recordedCaps(options, rows);
  const isTimed = options.config.load.kind === "trace";
  const prompts = rows.flatMap(({ row, id }): WorkloadPrompt[] => {
    const cap = row.outputTokens ?? caps.get(id);
    const plan: PromptPlan = {
      ...(cap === undefined ? {} : { outputTokens: cap }),
      ...(isTimed ? { arrivalMs: row.arrivalMs } : {}),
    };
    if (row.kind === "text") return [{ id, kind: "text", text: row.text, tokens: null, ...plan }];
    if (row.kind === "conversation")
      return [{ id, kind: "conversation", conversation: row.conversation, ...plan }];
    if (row.kind === "turns") return turnPrompts(id, row.turns, plan, caps);
    const prompt = texts.get(id);
    return prompt === undefined ? [] : [{ ...prompt, ...plan }];
  });
  return { prompts, made };
}

function turnPrompts(
  conversationId: string,
  turns: readonly Turn[],
  plan: PromptPlan,
  caps: ReadonlyMap<string, number>,
): WorkloadPrompt[] {
  return turns.map(({ conversation, waits }, index) => {
    const id = turnId(conversationId, index);
    const cap = caps.get(id);
    return {
      id,
      kind: "conversation",
      conversation,
      ...plan,
      ...(cap === undefined ? {} : { outputTokens: cap }),
      turn: { conversation: conversationId, index },
      waits,
    };
  });
}

async function makeTexts(options: MakingOptions, traced: readonly TracedRequest[]): Promise<MadePrompt[]> {
  if (traced.length === 0) return [];
  const make = traceMaker(options, seedOf(options.config));
  return makeAll(options, traced.length, (index) => {
    const request = traced[index];
    if (request === undefined) throw new RangeError(`no request ${index}`);
    return make(request, index);
  });
}

/** Turns of a conversation that are played: as many as are asked for; of a file of conversations, all that it has. */
export function playedTurns({ dataset }: BenchConfig): number {
  return dataset.turns ?? (dataset.kind === "multi-turn" ? MOST_TURNS : 1);
}

const MOST_TURNS = 1000;
