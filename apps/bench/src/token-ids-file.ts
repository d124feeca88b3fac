import { closeSync, openSync, writeSync } from "node:fs";

import { UsageError } from "./usage-error.ts";

/** Characters that are held before they are written: a run is not to wait for the disk at every output. */
const HELD = 65_536;

/** A file of token ids, one JSON line per output: `{"prompt_id":"…","token_ids":[…]}`, warm-up included. */
export interface TokenIdsFile {
  readonly add: (promptId: string, tokenIds: readonly number[]) => void;
  readonly close: () => void;
}

/** @throws {UsageError} when the file cannot be written */
export function openTokenIdsFile(file: string): TokenIdsFile {
  let descriptor: number;
  try {
    descriptor = openSync(file, "w");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`--output-token-ids ${file}: cannot be written (${reason})`);
  }
  let held = "";
  const flush = (): void => {
    if (held !== "") writeSync(descriptor, held);
    held = "";
  };
  return {
    add: (promptId, tokenIds) => {
      held += `${JSON.stringify({ prompt_id: promptId, token_ids: tokenIds })}\n`;
      if (held.length >= HELD) flush();
    },
    close: () => {
      flush();
      closeSync(descriptor);
    },
  };
}
