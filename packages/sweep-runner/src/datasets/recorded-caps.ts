import { preparingCounter } from "../events.ts";
import { RunError } from "../errors.ts";
import { TOKENIZING_CONCURRENCY, type MakingOptions } from "./generated-workload.ts";
import type { TakenRow } from "./row-prompts.ts";
import { turnId } from "./turn-rows.ts";

/** A recorded answer, by the id of the prompt that it answers. */
interface RecordedAnswer {
  readonly id: string;
  readonly answer: string;
}

/**
 * Tokens of the answers that rows record, by the ids of their prompts, where outputs are to be as long as those; empty where they
 * are not. Rows that record none are left out: the cap of the run holds for them.
 *
 * @throws {RunError} `TOKENIZER_INVALID` where nobody counts tokens, `DATASET_INVALID` where no row records an answer
 */
export async function recordedCaps(
  { config, counter, signal, observer }: MakingOptions,
  rows: readonly TakenRow[],
): Promise<ReadonlyMap<string, number>> {
  const caps = new Map<string, number>();
  if (!config.dataset.recordedLengths || rows.length === 0) return caps;
  if (counter === null) {
    throw new RunError(
      "TOKENIZER_INVALID",
      "--recorded-lengths counts the tokens of recorded answers, and the server offers no /tokenize: name a model folder " +
        "or a GGUF file with --tokenizer, or leave it out and set --output-len",
    );
  }
  const answers = rows.flatMap(answersOf);
  if (answers.length === 0) {
    throw new RunError(
      "DATASET_INVALID",
      `no row of ${config.datasetPath ?? "the dataset"} records an answer: leave out --recorded-lengths and set --output-len`,
    );
  }
  const counted = preparingCounter(observer, "caps", answers.length);
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let own = answers[next++]; own !== undefined; own = answers[next++]) {
      signal?.throwIfAborted();
      caps.set(own.id, Math.max(1, await counter.count(own.answer, signal)));
      counted();
    }
  };
  await Promise.all(Array.from({ length: TOKENIZING_CONCURRENCY }, worker));
  return caps;
}

function answersOf({ row, id }: TakenRow): RecordedAnswer[] {
  if (row.kind === "text") return row.answer === undefined ? [] : [{ id, answer: row.answer }];
  if (row.kind !== "turns") return [];
  return row.turns.flatMap(({ answer }, index) =>
    answer === null ? [] : [{ id: turnId(id, index), answer }],
  );
}
