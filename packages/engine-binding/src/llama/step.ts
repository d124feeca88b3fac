import type { SequenceEvaluateOptions } from "node-llama-cpp";
import { chooseToken } from "../sampling/choose-token.ts";
import { positionUniform } from "../sampling/position-seed.ts";
import { countAccepted, type SpeculationTally } from "../speculation/acceptance.ts";
import type { CachedSequence, Position } from "./cached-sequence.ts";
import { logprobsOf } from "../sampling/logprobs.ts";
import type { DispatchGate } from "./dispatch-gate.ts";
import { evaluationGroups, type EvaluationShape } from "./evaluation-groups.ts";
import type { Turn } from "./turn.ts";

const GREEDY: SequenceEvaluateOptions = { temperature: 0, topK: 0, topP: 1, yieldEogToken: true };

/** The contexts' gates; the draft's is absent when there is no draft. */
export interface Gates {
  readonly target: DispatchGate;
  readonly draft: DispatchGate | null;
}

/**
 * Runs the draft model for all turns together. Each of the K chained tokens is one evaluation of all slots that draft;
 * prompts that the draft model has to read go before. It drafts past a drafted EOS, as vLLM's drafters do.
 */
export async function runDraft(turns: readonly Turn[], gate: DispatchGate): Promise<void> {
  const taking = turns.filter((turn) => turn.draftInput.length > 0);
  const catchUp = (turn: Turn): EvaluationShape => ({
    call: turn.draftCount === 0 ? "feed" : "next",
    tokens: turn.draftInput.length,
  });
  for (const group of evaluationGroups(taking, catchUp, ({ slot }) => slot.draft)) {
    await together(group, gate, (turn) =>
      guarded(turn, async (draft) => {
        if (turn.draftCount === 0) await draft.feed(turn.draftInput);
        else turn.drafts.push(await draft.next(turn.draftInput, GREEDY));
      }),
    );
  }
  for (let drafted = 1; ; drafted++) {
    const drafting = taking
      .filter((turn) => turn.drafts.length === drafted && turn.draftCount > drafted)
      .toSorted((a, b) => a.slot.index - b.slot.index);
    if (drafting.length === 0) return;
    await together(drafting, gate, (turn) =>
      guarded(turn, async (draft) => {
        turn.drafts.push(await draft.next(turn.drafts.slice(-1), GREEDY));
      }),
    );
  }
}

/** One evaluation: all turns queue before the model runs. */
async function together(
  turns: readonly Turn[],
  gate: DispatchGate,
  queue: (turn: Turn) => Promise<void>,
): Promise<void> {
  gate.expected = turns.length;
  await Promise.all(turns.map(queue));
}

async function guarded(turn: Turn, run: (draft: CachedSequence) => Promise<void>): Promise<void> {
  const { draft } = turn.slot;
  if (draft === null || turn.error !== null) return;
  try {
    await run(draft);
  } catch (error) {
    turn.error ??= error;
  }
}

/** Runs the target for all turns: prompts, next tokens and the verification of drafts, in as few evaluations as may be. */
export async function runTarget(turns: readonly Turn[], gate: DispatchGate): Promise<void> {
  const taking = turns.filter((turn) => turn.input.length > 0 && turn.error === null);
  for (const group of evaluationGroups(taking, targetShape, ({ slot }) => slot.target)) {
    await together(group, gate, async (turn) => {
      try {
        await evaluateTarget(turn);
      } catch (error) {
        turn.error ??= error;
      }
      // at once: everything after this belongs to the reader's time, not to the model's
      turn.producedAtNs = process.hrtime.bigint();
    });
  }
}

function targetShape({ job, input, generates, drafts }: Turn): EvaluationShape {
  if (!generates) return { call: "feed", tokens: input.length };
  // without drafts, sampler settings or penalties one sampler serves all of a request, which is cheaper
  const plain =
    drafts.length === 0 && job.settings.greedy && !job.penalties.active && job.request.logprobs === null;
  return { call: plain || job.grammar !== null ? "next" : "evaluate", tokens: input.length + drafts.length };
}

async function evaluateTarget(turn: Turn): Promise<void> {
  const { slot, job, input, drafts } = turn;
  const { call } = targetShape(turn);
  if (call === "feed") return await slot.target.feed(input);
  if (call === "next") {
    turn.sampled = [
      await slot.target.next(input, job.grammar === null ? GREEDY : job.streamSampler(job.grammar)),
    ];
    return;
  }
  const { count } = job.output;
  const positions: Position[] = [];
  for (const [index, token] of input.entries()) {
    const last = index === input.length - 1;
    const sampler = last ? job.sampler(count, [], drafts.length) : null;
    positions.push({ token, sampler, expected: last ? drafts[0] : undefined });
  }
  for (const [index, token] of drafts.entries()) {
    const before = drafts.slice(0, index + 1);
    const sampler = job.sampler(count + index + 1, before, drafts.length);
    positions.push({ token, sampler, expected: drafts[index + 1] });
  }
  const { logprobs } = job.request;
  const choices = await slot.target.evaluate(positions, logprobs !== null);
  turn.sampled = choices.map(({ token }) => token);
  if (logprobs === null) return;
  turn.logprobs = choices.map(({ token, probabilities }) =>
    logprobsOf(token, probabilities ?? new Map(), logprobs),
  );
}

/** What a step settled for one request. */
export interface Verdict {
  /** Accepted drafts and the target's own token after them. */
  readonly tokens: readonly number[];
  readonly accepted: number;
}

/**
 * Settles which drafts hold. Before `minTokens` the target may have chosen a token that must not end the output yet: it
 * is replaced at that position by a choice among the others, and the step ends there. (A draft token that equals the
 * replacement is not counted as accepted.)
 */
export async function verify(turn: Turn): Promise<Verdict> {
  const { job, drafts, sampled } = turn;
  const accepted = countAccepted(drafts, sampled);
  for (let index = 0; index <= accepted; index++) {
    const token = sampled[index];
    if (token === undefined || !job.isBanned(token, job.output.count + index)) continue;
    const { token: replacement, probabilities } = await chooseAgain(turn, index);
    if (job.request.logprobs !== null) {
      turn.logprobs[index] = logprobsOf(replacement, probabilities, job.request.logprobs);
    }
    turn.producedAtNs = process.hrtime.bigint();
    return { tokens: [...sampled.slice(0, index), replacement], accepted: index };
  }
  return { tokens: sampled.slice(0, accepted + 1), accepted };
}

/** Chooses the token after the first `index` drafts again, without the banned ones. */
async function chooseAgain(
  { slot, job, input, drafts, sampled }: Turn,
  index: number,
): Promise<{ token: number; probabilities: ReadonlyMap<number, number> }> {
  const evaluated = slot.target.length - drafts.length + index;
  const previous = index === 0 ? input.at(-1) : drafts[index - 1];
  if (previous === undefined) throw new RangeError("a turn that generates has input");
  await slot.target.truncate(evaluated - 1);
  const position = job.output.count + index;
  const sampler = { ...job.sampler(position, drafts.slice(0, index), 0), topP: 1, topK: 0, minP: 0 };
  const probabilities = await slot.target.probabilities(previous, sampler);
  const uniform = positionUniform(job.settings.seed, position);
  // when every token is banned there is nothing to replace it with
  const token = chooseToken(probabilities, job.banned, job.settings, uniform) ?? sampled[index] ?? previous;
  return { token, probabilities };
}

/**
 * Drops what was evaluated for rejected drafts, from both models, and counts the step.
 *
 * @param before tokens that were certain before the step
 */
export async function settle(
  turn: Turn,
  accepted: number,
  before: number,
  tallies: readonly (Pick<SpeculationTally, "add"> | null)[],
): Promise<void> {
  for (const tally of tallies) tally?.add(turn.drafts.length, accepted);
  turn.job.acceptance.add(turn.drafts.length, accepted);
  if (turn.drafts.length === 0) return;
  await turn.slot.target.truncate(before + accepted);
  await turn.slot.draft?.truncate(before + accepted);
}
