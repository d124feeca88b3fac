import {
  CONTENT_AXIS,
  EOS_RULES,
  losslessAxis,
  measureContent,
  measureEosArm,
  measureFixedOutput,
  measureLosslessArm,
  readEosBias,
  readLossless,
  type LosslessArmName,
  type LosslessSettings,
} from "@onpar/sweep-runner";

import { describeEosBias, describeLossless } from "./experiment-text.ts";
import { fitContext, OWN_PROMPTS, rungsOf, type SweepKind } from "./sweep-kinds.ts";

/** Tokens of the class that has to be repeated, with its task. */
const FIXED_TOKENS = 1200;

export const accfix: SweepKind = {
  name: "accfix",
  summary: "fixed-output acceptance: one wanted text at every prefix length",
  values: { integer: true, least: 16 },
  defaults: { preset: "accfix", skipChatTemplate: false },
  carriesOut: OWN_PROMPTS,
  rungs: rungsOf("accfix"),
  axis: (_, values) => ({ field: "inputLen", values }),
  fit: fitContext(FIXED_TOKENS),
  measure: measureFixedOutput,
};

export const content: SweepKind = {
  name: "content",
  summary: "acceptance by type of content and by draft position: code, copy, prose, extraction",
  values: null,
  defaults: { ignoreEos: false, skipChatTemplate: false, outputLen: 256 },
  carriesOut: OWN_PROMPTS,
  rungs: [],
  axis: () => CONTENT_AXIS,
  fit: null,
  measure: measureContent,
};

export const eosBias: SweepKind = {
  name: "eos-bias",
  summary:
    "what forced length does to acceptance and decode rate: the same prompts under both stopping rules, paired",
  values: null,
  defaults: { skipChatTemplate: false, outputLen: 256, warmupRequests: 1 },
  carriesOut: [],
  rungs: [],
  axis: () => EOS_RULES,
  fit: null,
  measure: measureEosArm,
  conclude: async (folder, plan) => {
    const json = await readEosBias(folder, plan.steps, plan.config.seed);
    return { json, text: describeEosBias(json), isBreach: false };
  },
};

/** @param arms the first one is what the others are compared with */
export function lossless(arms: readonly LosslessArmName[], settings: LosslessSettings): SweepKind {
  return {
    name: "lossless",
    summary:
      "what speculation changes: greedy outputs with it, without it and under load, and where they part",
    values: null,
    defaults: { ignoreEos: false, skipChatTemplate: false, outputLen: 256 },
    carriesOut: [],
    rungs: [],
    axis: () => losslessAxis(arms),
    fit: null,
    measure: (step, context) => measureLosslessArm(step, context, settings),
    conclude: async (folder, plan) => {
      const comparisons = await readLossless(folder, plan.steps);
      const isBreach = comparisons.some(({ divergences }) =>
        divergences.some(({ verdict }) => verdict === "real"),
      );
      return { json: { comparisons }, text: describeLossless(comparisons), isBreach };
    },
  };
}
