import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Real templates, conversations and cases beside the project; they are not part of it, and tests pass without them. */
const folder = fileURLToPath(new URL("../../../../../shared/", import.meta.url));

/** Whether a folder of the shared material is there. */
export function hasShared(path: string): boolean {
  return existsSync(join(folder, path));
}

export function sharedText(path: string): string {
  return readFileSync(join(folder, path), "utf8");
}

/** Names of the files with this ending, without it; none where the folder is not there. */
export function sharedNames(path: string, ending: string): readonly string[] {
  if (!hasShared(path)) return [];
  return readdirSync(join(folder, path))
    .filter((name) => name.endsWith(ending))
    .map((name) => name.slice(0, -ending.length))
    .sort();
}
