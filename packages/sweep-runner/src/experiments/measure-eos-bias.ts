import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { RequestRecord } from "../record.ts";
import { readRecords } from "../records/read-records.ts";
import { runBench } from "../run-bench.ts";
import type { LadderContext } from "../ladders/points.ts";
import { runRow, type RunRow } from "../ladders/run-row.ts";
import { fileStem } from "../ladders/rung.ts";
import { withSystemFacts } from "../ladders/system-facts.ts";
import type { SweepAxis, SweepStep } from "../sweep/sweep-plan.ts";
import { eosBias, type EosBiasResult, type EosPair } from "./eos-bias.ts";

/** The two rules that the experiment compares. */
export const EOS_RULES: SweepAxis = { field: "ignoreEos", values: [false, true] };

/**
 * One of the two runs of the experiment: all prompts under one stopping rule, one at a time, so that the decoding of an output has the
 * system for itself. Texts are kept, so that two outputs of a prompt can be compared.
 */
export async function measureEosArm(
  step: SweepStep,
  { system, folder, signal }: LadderContext,
): Promise<RunRow> {
  const { config } = step;
  await mkdir(join(folder, "records"), { recursive: true });
  const draftBudget = await withSystemFacts(config, system, signal, async (facts) => facts.draftBudget);
  const result = await runBench({
    ...system,
    signal,
    config: {
      ...config,
      concurrency: 1,
      repetition: { ...config.repetition, reps: 1, boots: 1 },
      client: { ...config.client, keepText: true },
      output: recordsOf(folder, step),
    },
  });
  return runRow(result, draftBudget);
}

/** The result of the experiment, from the records of its runs; boots are paired each for itself. */
export async function readEosBias(
  folder: string,
  steps: readonly SweepStep[],
  seed: number,
): Promise<EosBiasResult> {
  const pairs: EosPair[] = [];
  for (const boot of new Set(steps.map((step) => step.boot))) {
    const arm = async (ignoreEos: boolean): Promise<RequestRecord[]> => {
      const step = steps.find((one) => one.boot === boot && one.config.ignoreEos === ignoreEos);
      const run = step === undefined ? undefined : (await readRecords(recordsOf(folder, step))).at(-1);
      return (run?.records ?? []).filter(({ phase }) => phase === "measure");
    };
    pairs.push(...pairByPrompt(await arm(false), await arm(true)));
  }
  return eosBias(pairs, seed);
}

function recordsOf(folder: string, step: SweepStep): string {
  return join(folder, "records", `${fileStem(step.id)}.jsonl`);
}

/** Requests of the same prompt; prompts that only one of the runs has are left out. */
export function pairByPrompt(
  honoured: readonly RequestRecord[],
  forced: readonly RequestRecord[],
): EosPair[] {
  const others = new Map(forced.map((record) => [record.promptId, record]));
  return honoured.flatMap((record) => {
    const other = others.get(record.promptId);
    return other === undefined ? [] : [{ promptId: record.promptId, honoured: record, forced: other }];
  });
}
