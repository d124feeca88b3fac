import { join } from "node:path";
import { mkdir } from "node:fs/promises";
import type { BenchConfig } from "@onpar/bench-config";
import type { RequestRecord } from "../record.ts";
import { readRecords } from "../records/read-records.ts";
import { runBench } from "../run-bench.ts";
import type { RunResult } from "../result.ts";
import type { LadderContext } from "../ladders/points.ts";
import { eosBias, type EosBiasResult, type EosPair } from "./eos-bias.ts";

/** The two runs of the experiment, and what they came to. */
export interface EosBiasOutcome {
  readonly result: EosBiasResult;
  readonly honoured: RunResult;
  readonly forced: RunResult;
}

/**
 * Runs the same prompts with EOS honoured and with EOS ignored, one at a time, and compares them prompt by prompt. Texts are kept, so
 * that two outputs of a prompt can be told apart.
 */
export async function measureEosBias(config: BenchConfig, context: LadderContext): Promise<EosBiasOutcome> {
  const { folder, system, signal } = context;
  await mkdir(join(folder, "records"), { recursive: true });
  const arm = async (name: string, ignoreEos: boolean) => {
    const output = join(folder, "records", `${name}.jsonl`);
    const result = await runBench({
      ...system,
      signal,
      config: {
        ...config,
        ignoreEos,
        concurrency: 1,
        client: { ...config.client, keepText: true },
        output,
        outputJson: null,
        outputTokenIds: null,
      },
    });
    const records = (await readRecords(output)).at(-1)?.records ?? [];
    return { result, records: records.filter(({ phase }) => phase === "measure") };
  };
  const honoured = await arm("eos-honoured", false);
  const forced = await arm("eos-ignored", true);
  return {
    result: eosBias(pairByPrompt(honoured.records, forced.records), config.seed),
    honoured: honoured.result,
    forced: forced.result,
  };
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
