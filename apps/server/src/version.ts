import { readFileSync } from "node:fs";

import { z } from "zod";

/** Version of this package: its manifest lies one folder above the sources and above the build. */
export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  return z.object({ version: z.string() }).parse(manifest).version;
}
