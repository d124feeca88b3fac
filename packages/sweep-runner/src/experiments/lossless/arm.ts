import { createHash } from "node:crypto";
import { z } from "zod";
import { messageOf, RunError } from "../../errors.ts";
import { readLines } from "../../read-lines.ts";
import { parseJson } from "../../stream/server-message.ts";

const topSchema = z.strictObject({ token: z.string(), logprob: z.number() });

const outputSchema = z.looseObject({
  promptId: z.string(),
  text: z.string(),
  tokens: z.array(z.string()).nullable(),
  logprobs: z.array(z.number().nullable()).nullable(),
  top: z.array(z.array(topSchema)).nullable(),
  finish: z.string().nullable(),
});

/** What one prompt came to in one arm. */
export interface LosslessOutput {
  readonly promptId: string;
  readonly text: string;
  /** Tokens as texts; null when the answer does not tell them. */
  readonly tokens: readonly string[] | null;
  /** Natural logarithm of the probability of each token; null entries and null as told. */
  readonly logprobs: readonly (number | null)[] | null;
  /** Most probable tokens at each place, in falling order. */
  readonly top: readonly (readonly { readonly token: string; readonly logprob: number }[])[] | null;
  /** As the server sent it. */
  readonly finish: string | null;
}

/** The outputs of all prompts under one condition: speculation on, off, under load. */
export interface LosslessArm {
  readonly name: string;
  readonly outputs: readonly LosslessOutput[];
}

/** An arm as JSON lines, one per prompt, with the sha256 of its text. */
export function armToText({ name, outputs }: LosslessArm): string {
  return outputs
    .map((output) => {
      const sha256 = createHash("sha256").update(output.text).digest("hex");
      return `${JSON.stringify({ arm: name, ...output, sha256 })}\n`;
    })
    .join("");
}

/** Texts with log-probabilities of a few thousand tokens. */
const LINE_LIMIT = 64 * 2 ** 20;

/**
 * Reads the file of an arm.
 *
 * @throws {RunError} `RECORDS_INVALID` with the line that is no output, or gives a prompt twice
 */
export async function readArm(path: string): Promise<LosslessArm> {
  const outputs = new Map<string, LosslessOutput>();
  let name = path;
  try {
    for await (const { number, text } of readLines(path, LINE_LIMIT)) {
      if (text.trim() === "") continue;
      const parsed = outputSchema.safeParse(parseJson(text));
      if (!parsed.success) throw broken(path, number, "no output of a losslessness run");
      const { promptId } = parsed.data;
      if (outputs.has(promptId)) throw broken(path, number, `gives the prompt ${promptId} twice`);
      outputs.set(promptId, parsed.data);
      if (typeof parsed.data["arm"] === "string") name = parsed.data["arm"];
    }
  } catch (error) {
    if (error instanceof RunError) throw error;
    throw new RunError("RECORDS_INVALID", `cannot read ${path}: ${messageOf(error)}`, { cause: error });
  }
  if (outputs.size === 0) throw new RunError("RECORDS_INVALID", `${path} holds no outputs`);
  return { name, outputs: [...outputs.values()] };
}

function broken(path: string, line: number, what: string): RunError {
  return new RunError("RECORDS_INVALID", `${path}:${line}: ${what}`);
}
