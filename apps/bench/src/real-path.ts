import { readlinkSync, realpathSync } from "node:fs";
import path from "node:path";

/** Links in a row that are followed, as the system does. */
const MAX_LINKS = 40;

/**
 * Where a file is or would be made: symbolic links followed, also one that points to nothing yet and those in the path of a
 * folder that is still to be made.
 */
export function realPath(file: string): string {
  return follow(path.resolve(file), MAX_LINKS);
}

function follow(file: string, linksLeft: number): string {
  try {
    return realpathSync(file);
  } catch {
    const parent = path.dirname(file);
    if (parent === file || linksLeft === 0) return file;
    const link = linkTarget(file);
    return link === null
      ? path.join(follow(parent, linksLeft), path.basename(file))
      : follow(path.resolve(parent, link), linksLeft - 1);
  }
}

function linkTarget(file: string): string | null {
  try {
    return readlinkSync(file);
  } catch {
    return null;
  }
}
