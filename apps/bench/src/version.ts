import { readFileSync } from "node:fs";

/** Version of this package. */
export function packageVersion(): string {
  // One folder above `src` here and above `dist` in the published package.
  const file = new URL("../package.json", import.meta.url);
  const manifest: unknown = JSON.parse(readFileSync(file, "utf8"));
  const version: unknown =
    typeof manifest === "object" && manifest !== null ? Reflect.get(manifest, "version") : null;
  if (typeof version !== "string") throw new Error(`no version in ${file.pathname}`);
  return version;
}
