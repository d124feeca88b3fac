// How many passed and failed, kept in a file so that one script can add up what several printed.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root } from "./run.mjs";

const fileOf = (name) => path.join(root, ".onpar", `${name}-counts.json`);

export function writeCounts(name, counts) {
  mkdirSync(path.join(root, ".onpar"), { recursive: true });
  writeFileSync(fileOf(name), JSON.stringify(counts));
}

/** Takes the counts away, so that a stale file is never read twice; null when there are none. */
export function takeCounts(name) {
  if (!existsSync(fileOf(name))) return null;
  const counts = JSON.parse(readFileSync(fileOf(name), "utf8"));
  rmSync(fileOf(name));
  return counts;
}

export function countsLine({ passed, failed, skipped = 0 }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}
