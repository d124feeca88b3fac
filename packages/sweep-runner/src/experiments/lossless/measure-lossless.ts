import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BenchConfig } from "@onpar/bench-config";
import { readDataset } from "../../datasets/dataset.ts";
import { RunError } from "../../errors.ts";
import type { LadderContext } from "../../ladders/points.ts";
import { fileStem, type RungPrompt } from "../../ladders/rung.ts";
import type { SweepAxis, SweepStep } from "../../sweep/sweep-plan.ts";
import { CONTENT_TYPES } from "../content-prompts.ts";
import { contentPrompts } from "../content.ts";
import { armToText, readArm } from "./arm.ts";
import { collectArm } from "./collect.ts";
import { compareArms, type ArmComparison } from "./compare-arms.ts";

/** Conditions that outputs are compared under: speculation on or off, alone or beside other requests. */
export const LOSSLESS_ARMS = ["on", "off", "on-loaded", "off-loaded"] as const;

export type LosslessArmName = (typeof LOSSLESS_ARMS)[number];

/** What the experiment is told beside its configuration. */
export interface LosslessSettings {
  /** Server without speculation, for the arms that are off; null in process, where a request decides. */
  readonly offBaseUrl: string | null;
  /** Requests beside each measured one in the loaded arms. */
  readonly background: number;
}

/** What a step of the experiment leaves. */
export interface LosslessRow {
  readonly kind: "lossless";
  readonly arm: string;
  readonly prompts: number;
  /** Whether tokens came with their log-probabilities, so that a near-tie can be told from a real difference. */
  readonly hasLogprobs: boolean;
}

export function losslessAxis(arms: readonly LosslessArmName[]): SweepAxis {
  return { field: "arm", values: arms, isLabel: true };
}

/** Prompts of each type of content in the twelve that come with the experiment. */
const OWN_PROMPTS_PER_TYPE = 3;

/** The prompts of the experiment: those of the dataset, or twelve of its own. */
export async function losslessPrompts(config: BenchConfig): Promise<readonly RungPrompt[]> {
  if (config.datasetPath === null) {
    return CONTENT_TYPES.flatMap((type) => contentPrompts(type).slice(0, OWN_PROMPTS_PER_TYPE));
  }
  const { rows } = await readDataset(config.datasetPath, config.numPrompts);
  return rows.map((row, index) => {
    if (row.kind === "text") return { id: row.id ?? `row-${index}`, text: row.text };
    throw new RunError(
      "DATASET_INVALID",
      `${String(config.datasetPath)}: the losslessness experiment takes rows with a prompt, and row ${index + 1} is a conversation`,
    );
  });
}

/** Collects the outputs of one arm, and keeps them in a file of the folder. */
export async function measureLosslessArm(
  step: SweepStep,
  { system, folder, signal }: LadderContext,
  { offBaseUrl, background }: LosslessSettings,
): Promise<LosslessRow> {
  const name = String(step.point.values["arm"]);
  const isOff = name.startsWith("off");
  const { config } = step;
  const prompts = await losslessPrompts(config);
  const arm = await collectArm({
    name,
    prompts,
    config:
      isOff && offBaseUrl !== null
        ? { ...config, target: { ...config.target, baseUrl: offBaseUrl } }
        : config,
    apiKey: system.apiKey,
    engine: system.engine,
    speculate: !isOff,
    background: name.endsWith("-loaded") ? background : 0,
    signal,
  });
  await mkdir(join(folder, "arms"), { recursive: true });
  await writeFile(armFile(folder, step), armToText(arm));
  return {
    kind: "lossless",
    arm: name,
    prompts: prompts.length,
    hasLogprobs: arm.outputs.every(({ top }) => top !== null),
  };
}

/** All arms of a boot against its first one. */
export async function readLossless(folder: string, steps: readonly SweepStep[]): Promise<ArmComparison[]> {
  const comparisons: ArmComparison[] = [];
  for (const boot of new Set(steps.map((step) => step.boot))) {
    const arms = [];
    for (const step of steps) if (step.boot === boot) arms.push(await readArm(armFile(folder, step)));
    const [first, ...others] = arms;
    if (first !== undefined) comparisons.push(...others.map((other) => compareArms(first, other)));
  }
  return comparisons;
}

function armFile(folder: string, step: SweepStep): string {
  return join(folder, "arms", `${fileStem(step.id)}.jsonl`);
}
