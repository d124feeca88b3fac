import { existsSync } from "node:fs";
import path from "node:path";

/** Chromium, where the machine has one: `CHROMIUM`, or one of its usual names on the path. */
export function findChromium(): string | null {
  const folders = (process.env["PATH"] ?? "").split(path.delimiter);
  const names = ["chromium", "chromium-browser", "google-chrome"];
  const candidates = [
    process.env["CHROMIUM"] ?? "",
    ...names.flatMap((name) => folders.map((folder) => path.join(folder, name))),
  ];
  return candidates.find((file) => file !== "" && existsSync(file)) ?? null;
}
