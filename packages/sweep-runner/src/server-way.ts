import { readFile } from "node:fs/promises";
import type { BenchConfig } from "@onpar/bench-config";
import { messageOf, RunError } from "./errors.ts";
import { isHeader } from "./transport/request-head.ts";

/** Headers of every request, read from the environment where they say so. @throws {RunError} `TARGET_INVALID` for a variable that is not set, and for what no header can carry */
export function headersOf(written: BenchConfig["target"]["headers"]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(written).map(([name, text]) => {
      const variable = /^env:(.+)$/.exec(text)?.[1];
      const value = variable === undefined ? text : process.env[variable];
      if (value === undefined)
        throw new RunError("TARGET_INVALID", `the header ${name} is read from ${variable}, which is not set`);
      if (!isHeader(name, value))
        throw new RunError(
          "TARGET_INVALID",
          `the header ${name} holds a character that no HTTP header can carry`,
        );
      return [name.toLowerCase(), value];
    }),
  );
}

/** @throws {RunError} `TARGET_INVALID` naming the file */
export async function readCa(path: string | null): Promise<string | null> {
  if (path === null) return null;
  try {
    const text = await readFile(path, "utf8");
    // Node takes a text without one for an authority that has signed nothing.
    if (!/-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/.test(text))
      throw new TypeError("it holds no certificate (PEM)");
    return text;
  } catch (error) {
    const message = `cannot read the certificate authority ${path}: ${messageOf(error)}`;
    throw new RunError("TARGET_INVALID", message, { cause: error });
  }
}
