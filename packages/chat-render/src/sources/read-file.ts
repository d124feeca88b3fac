import { open, readdir, stat } from "node:fs/promises";
import type { Stats } from "node:fs";
import { TemplateNotFoundError } from "./template-error.ts";

/** What a path is; null where nothing is, or where the text cannot be a path at all. */
export async function statOrNull(path: string): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : null;
    if (
      code === "ENOENT" ||
      code === "ENOTDIR" ||
      code === "ENAMETOOLONG" ||
      code === "ERR_INVALID_ARG_VALUE"
    ) {
      return null;
    }
    throw unreadable(path, reasonOf(error), error);
  }
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function unreadable(path: string, reason: string, cause?: unknown): TemplateNotFoundError {
  return new TemplateNotFoundError("TEMPLATE_UNREADABLE", `${path}: cannot be read: ${reason}`, cause);
}

async function readBytes(path: string, maxBytes: number): Promise<Uint8Array> {
  const file = await open(path, "r");
  try {
    const stats = await file.stat();
    if (!stats.isFile()) {
      throw unreadable(path, "it is not a regular file");
    }
    if (stats.size > maxBytes) {
      throw unreadable(path, `it has ${stats.size} bytes, and at most ${maxBytes} are read`);
    }
    const buffer = new Uint8Array(stats.size);
    const { bytesRead } = await file.read(buffer, 0, stats.size, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Reads UTF-8 as Python's text mode does: every line ending becomes `\n`, a byte-order mark stays. */
export async function readText(path: string, maxBytes: number): Promise<string> {
  try {
    const bytes = await readBytes(path, maxBytes);
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes).replace(/\r\n?/gu, "\n");
  } catch (error) {
    throw error instanceof TemplateNotFoundError ? error : unreadable(path, reasonOf(error), error);
  }
}

/** Reads UTF-8 JSON. */
export async function readJson(path: string, maxBytes: number): Promise<unknown> {
  const text = await readText(path, maxBytes);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw unreadable(path, `it is not JSON (${reasonOf(error)})`, error);
  }
}

/** Whether the file begins with these bytes. */
export async function beginsWith(path: string, ascii: string): Promise<boolean> {
  try {
    const file = await open(path, "r");
    try {
      const start = new Uint8Array(ascii.length);
      await file.read(start, 0, start.length, 0);
      return new TextDecoder().decode(start) === ascii;
    } finally {
      await file.close();
    }
  } catch (error) {
    throw unreadable(path, reasonOf(error), error);
  }
}

/** Names in a folder, sorted; none where there is no such folder. */
export async function namesIn(path: string): Promise<string[]> {
  const stats = await statOrNull(path);
  return stats?.isDirectory() === true ? (await readdir(path)).sort() : [];
}
