import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** A case made from a public report; the folder is beside the repository and may be absent. */
export interface SharedCase {
  readonly id: string;
  readonly kind: string;
  readonly description: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly expected: Readonly<Record<string, unknown>>;
}

const FOLDER =
  process.env["ONPAR_SHARED_CASES"] ?? fileURLToPath(new URL("../../../../../shared/cases", import.meta.url));

/** Cases whose id begins with one of the letters; an empty list, said on the console by the caller's test, when absent. */
export function sharedCases(letters: string): SharedCase[] {
  if (!existsSync(FOLDER)) return [];
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith(".json") && letters.includes(name.charAt(0)))
    .sort()
    .map((name) => JSON.parse(readFileSync(join(FOLDER, name), "utf8")) as SharedCase);
}
