import { readFileSync } from "node:fs";
import { open, readFile, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { RunError, systemCode } from "../errors.ts";

/**
 * Takes the marker of a records file for this process. That of a process of this host which is gone is taken over.
 *
 * @throws {RunError} `OUTPUT_UNWRITABLE` when another run holds it
 */
export async function takeLock(lock: string, path: string): Promise<void> {
  const mark = JSON.stringify({ host: hostname(), pid: process.pid });
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      const file = await open(lock, "wx");
      try {
        return await file.writeFile(mark);
      } catch (error) {
        await rm(lock, { force: true });
        throw error;
      } finally {
        await file.close();
      }
    } catch (error) {
      if (systemCode(error) !== "EEXIST") throw error;
    }
    const holder = await readHolder(lock);
    if (holder.alive) {
      throw new RunError(
        "OUTPUT_UNWRITABLE",
        `another run (${holder.name}) is writing ${path}: choose another place, or delete ${lock} if that run is gone`,
      );
    }
    await rm(lock, { force: true });
  }
  throw new RunError("OUTPUT_UNWRITABLE", `cannot take ${lock}: another run took it at the same time`);
}

async function readHolder(lock: string): Promise<{ readonly alive: boolean; readonly name: string }> {
  try {
    const mark: unknown = JSON.parse(await readFile(lock, "utf8"));
    if (typeof mark !== "object" || mark === null) return { alive: true, name: "unknown" };
    const { host, pid } = mark as { readonly host?: unknown; readonly pid?: unknown };
    if (typeof pid !== "number") return { alive: true, name: "unknown" };
    if (host !== hostname()) return { alive: true, name: `process ${pid} on ${String(host)}` };
    return { alive: isAlive(pid), name: `process ${pid}` };
  } catch (error) {
    // Gone in the meantime, or not written yet by the run that has just taken it.
    return { alive: systemCode(error) !== "ENOENT", name: "just started" };
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return systemCode(error) === "EPERM";
  }
  return !isZombie(pid);
}

/** A killed process whose parent has not asked for its end yet answers signals, and writes nothing any more. */
function isZombie(pid: number): boolean {
  try {
    // The name before the state may hold anything, also parentheses.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.startsWith("Z", stat.lastIndexOf(") ") + 2);
  } catch {
    // Other systems have no such file.
    return false;
  }
}
